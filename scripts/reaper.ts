/**
 * Ends the children of a process that died. Reads one process (JSON) per line from standard input; when the input
 * closes, ends those still running, in order. Started only by processes.ts, in its own session.
 */
import { createInterface } from "node:readline";
import { isRunning, killGroup, signal, type WatchedProcess, waitForEnd } from "./processes.ts";

const watchedProcesses: WatchedProcess[] = [];

// A terminal's Ctrl-C must not end the reaper.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const watched: WatchedProcess = JSON.parse(line);
  watchedProcesses.push(watched);
}

const orders = [...new Set(watchedProcesses.map((watched) => watched.order))].sort((a, b) => a - b);
for (const order of orders) {
  await Promise.all(watchedProcesses.filter((watched) => watched.order === order).map(endProcess));
}

async function endProcess(watched: WatchedProcess): Promise<void> {
  if (!isRunning(watched.pid, watched.identity)) return;
  signal(watched.pid, watched.signal);
  const ended = await waitForEnd(watched.pid, watched.identity, watched.graceMs);
  if (!ended) killGroup(watched.pid);
}
