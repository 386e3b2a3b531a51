import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** The machine that a result was measured on. */
type Machine = { cores: number; node: string; platform: string; loadBefore: number; loadAfter: number };

/** Describes the machine; call the returned function when the bench has ended. */
export function watchMachine(): () => Machine {
  const loadBefore = loadavg()[0] ?? 0;
  return () => ({
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
  });
}

const TICK_MS = 10;

/** CPU milliseconds (user and system) of a process, including its ended children. Linux only. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // utime, stime, cutime, cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}
