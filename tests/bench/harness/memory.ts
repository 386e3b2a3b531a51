import { readFileSync, writeFileSync } from "node:fs";

const megabytesOf = (pid: number, field: "VmHWM" | "VmRSS"): number => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kilobytes === undefined) throw new Error(`The kernel reports no ${field} of process ${pid}.`);
  return Math.round((Number(kilobytes) * 1_024) / 1e6);
};

/** The largest resident memory of a process in megabytes, as measured by the kernel since its start or `resetPeak`. */
export const peakMb = (pid: number): number => megabytesOf(pid, "VmHWM");

/** The resident memory of a process in megabytes. */
export const residentMb = (pid: number): number => megabytesOf(pid, "VmRSS");

/** Makes the present memory the peak. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");
