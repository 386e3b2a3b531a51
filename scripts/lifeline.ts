import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { identityOf } from "./pid.ts";

/** How a child ends: lower `order` first, by `signal`, killed after `graceMs`. */
export type Ending = { order: number; signal: NodeJS.Signals; graceMs: number };

/** One process to end, as the reaper knows it. */
export type Ward = Ending & { pid: number; identity: string };

let reaper: ChildProcess | undefined;

/**
 * Promises that this child will not outlive us. A small reaper process holds the other end of a pipe; when the pipe
 * closes, by whatever death of ours (kill -9 too), it ends the children in their order.
 * @returns the child's identity (see pid.ts)
 */
export function tieToLife(pid: number, ending: Ending): string {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`Process ${pid} ended as soon as it began.`);
  const ward: Ward = { ...ending, pid, identity };
  openReaper().stdin?.write(`${JSON.stringify(ward)}\n`);
  return identity;
}

function openReaper(): ChildProcess {
  if (reaper && reaper.exitCode === null && reaper.signalCode === null) return reaper;
  const script = fileURLToPath(new URL("./reaper.ts", import.meta.url));
  const started = spawn(process.execPath, [script], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
    env: { NODE_ENV: "production" },
  });
  // Neither the process nor its pipe may keep us running: our end is what it waits for.
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  reaper = started;
  return started;
}
