import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { inRepository } from "#scripts/root.ts";

/** Sets the clock of the processes that read this file, in milliseconds ahead of real time. */
export function moveClock(file: string, offsetMs: number): void {
  mkdirSync(dirname(file), { recursive: true });
  // Renamed, so that no process reads a partial number.
  writeFileSync(`${file}.new`, String(offsetMs));
  renameSync(`${file}.new`, file);
}

/** Sets the current time of the processes that read this file, in milliseconds. */
export function setClock(file: string, nowMs: number): void {
  moveClock(file, nowMs - Date.now());
}

/** Environment variables that give a Node process a movable clock. The file is created at zero. */
export function clockEnvironment(file: string): { NODE_OPTIONS: string; EVERTACK_CLOCK_FILE: string } {
  moveClock(file, 0);
  const preload = pathToFileURL(inRepository("tests", "support", "clock.mjs")).href;
  return { NODE_OPTIONS: `--import=${preload}`, EVERTACK_CLOCK_FILE: file };
}
