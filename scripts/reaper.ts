/**
 * Ends the children of a parent that died. Reads one ward (JSON) per line from standard input; when the input closes,
 * ends those that still run, in their order. Started by processes.ts alone, in a session of its own.
 */
import { createInterface } from "node:readline";
import { isRunning, killGroup, signal, type Ward, waitForEnd } from "./processes.ts";

const wards: Ward[] = [];

// A terminal's Ctrl-C must not end the one who cleans up after it.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const ward: Ward = JSON.parse(line);
  wards.push(ward);
}

const orders = [...new Set(wards.map((ward) => ward.order))].sort((a, b) => a - b);
for (const order of orders) {
  await Promise.all(wards.filter((ward) => ward.order === order).map(endWard));
}

async function endWard(ward: Ward): Promise<void> {
  if (!isRunning(ward.pid, ward.identity)) return;
  signal(ward.pid, ward.signal);
  const ended = await waitForEnd(ward.pid, ward.identity, ward.graceMs);
  if (!ended) killGroup(ward.pid);
}
