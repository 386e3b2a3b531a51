import { readFileSync, writeFileSync } from "node:fs";

const BYTES_PER_KB = 1_024;

const statusMb = (name: "VmRSS" | "VmHWM"): number => {
  const line = readFileSync("/proc/self/status", "utf8").match(new RegExp(`^${name}:\\s+(\\d+)`, "m"));
  return (Number(line?.[1] ?? 0) * BYTES_PER_KB) / 1e6;
};

/** The peak memory of this process while `run` runs, beyond its initial usage, in MB. Linux only. */
export function peakMbOver(run: () => unknown): { baseMb: number; overMb: number } {
  globalThis.gc?.();
  // 5 resets the peak.
  writeFileSync("/proc/self/clear_refs", "5");
  const baseMb = statusMb("VmRSS");
  run();
  return { baseMb, overMb: Math.max(0, statusMb("VmHWM") - baseMb) };
}
