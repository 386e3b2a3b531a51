import { join } from "node:path";
import { clockEnvironment, moveClock } from "#tests/support/clock.ts";
import { delay } from "./bounded.ts";

/** The clocks of all processes and the database. They show the same time and move together, until one is skewed. */
export interface Clocks {
  /** The current time. */
  now(): Date;
  /** Environment variables that give a process its movable clock. */
  environmentOf(name: string): Record<string, string>;
  /** Sets the database's clock for the first time. */
  begin(): Promise<void>;
  /** Advances all clocks. */
  pass(ms: number): Promise<void>;
  /** Skews one process's clock by this much (0 resets it). */
  setSkew(name: string, ms: number): void;
}

/** Processes reread their clock within this time (tests/support/clock.mjs). */
const REREAD_MS = 40;
/** The process that detects early calls moves first, so that no process is ahead of it. */
const FIRST = "sandbox";

/** Clocks that start at a given time. @param moveDatabase sets PostgreSQL's offset from the real time */
export function createClocks(folder: string, begin: Date, moveDatabase: (offsetMs: number) => Promise<void>): Clocks {
  let offsetMs = begin.getTime() - Date.now();
  const skewMs = new Map<string, number>();
  const fileOf = (name: string) => join(folder, name);
  const write = (name: string) => moveClock(fileOf(name), offsetMs + (skewMs.get(name) ?? 0));
  return {
    now: () => new Date(Date.now() + offsetMs),
    environmentOf: (name) => {
      const environment = clockEnvironment(fileOf(name));
      skewMs.set(name, 0);
      write(name);
      return environment;
    },
    begin: () => moveDatabase(offsetMs),
    async pass(ms) {
      offsetMs += ms;
      write(FIRST);
      await delay(REREAD_MS);
      await moveDatabase(offsetMs);
      for (const name of skewMs.keys()) write(name);
      await delay(REREAD_MS);
    },
    setSkew(name, ms) {
      skewMs.set(name, ms);
      write(name);
    },
  };
}
