import { readdirSync, readFileSync } from "node:fs";
import { hasErrorCode } from "#scripts/processes.ts";

/** Physical memory in MB (10^6 bytes): current and peak. */
interface Memory {
  nowMb: number;
  peakMb: number;
}

const readProc = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    // The process ended while the list was read.
    if (hasErrorCode(error, "ENOENT") || hasErrorCode(error, "ESRCH")) return "";
    throw error;
  }
};

/** Fields after the command name, which may contain spaces and parentheses: state, parent, group, … */
const groupOf = (pid: string): number => Number(readProc(pid, "stat").split(") ").at(-1)?.split(" ")[2]);

const megabytes = (status: string, field: string): number =>
  (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024) / 1e6;

/** Memory (RSS) of a process and its descendants; reads /proc, so Linux only. */
export const memoryOf = (pid: number): Memory => {
  const members = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && groupOf(name) === pid);
  const statuses = members.map((member) => readProc(member, "status"));
  const sum = (field: string) => Math.round(statuses.reduce((total, status) => total + megabytes(status, field), 0));
  const memory = { nowMb: sum("VmRSS"), peakMb: sum("VmHWM") };
  if (memory.nowMb === 0) throw new Error(`Process ${pid} does not run.`);
  return memory;
};
