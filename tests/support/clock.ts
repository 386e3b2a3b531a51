import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { inRepository } from "#scripts/root.ts";

/** Sets how far ahead of the real time the processes that read this file believe to be, in milliseconds. */
export function moveClock(file: string, offsetMs: number): void {
  mkdirSync(dirname(file), { recursive: true });
  // Renamed, so that nobody ever reads half a number.
  writeFileSync(`${file}.new`, String(offsetMs));
  renameSync(`${file}.new`, file);
}

/** Sets the time that the processes that read this file believe it is now, in milliseconds. */
export function setClock(file: string, nowMs: number): void {
  moveClock(file, nowMs - Date.now());
}

/** The settings that give a Node process a movable clock. The file is created at zero. */
export function clockEnvironment(file: string): { NODE_OPTIONS: string; EVERTACK_CLOCK_FILE: string } {
  moveClock(file, 0);
  const preload = pathToFileURL(inRepository("tests", "support", "clock.mjs")).href;
  return { NODE_OPTIONS: `--import=${preload}`, EVERTACK_CLOCK_FILE: file };
}
