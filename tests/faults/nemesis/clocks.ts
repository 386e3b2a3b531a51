import { join } from "node:path";
import { clockEnvironment, moveClock } from "#tests/support/clock.ts";
import { delay } from "./bounded.ts";

/** The clocks of all processes and of the database. They stand at one moment, moved together, until one is put wrong. */
export interface Clocks {
  /** The moment it is. */
  now(): Date;
  /** Variables that give a process its movable clock. */
  environmentOf(name: string): Record<string, string>;
  /** Puts the database's clock right for the first time. */
  begin(): Promise<void>;
  /** Moves all clocks on. */
  pass(ms: number): Promise<void>;
  /** Puts one process's clock so far ahead of the others (0: right again). */
  putWrong(name: string, ms: number): void;
}

/** Every process reads its clock anew after this time (tests/support/clock.mjs), with something to spare. */
const REREAD_MS = 40;
/** Whoever judges what came too early moves first, so that nobody is ahead of it. */
const FIRST = "sandbox";

/** Clocks that begin at a given moment. @param moveDatabase sets how far ahead of the real time PostgreSQL stands */
export function createClocks(folder: string, begin: Date, moveDatabase: (offsetMs: number) => Promise<void>): Clocks {
  let offsetMs = begin.getTime() - Date.now();
  const wrongMs = new Map<string, number>();
  const fileOf = (name: string) => join(folder, name);
  const write = (name: string) => moveClock(fileOf(name), offsetMs + (wrongMs.get(name) ?? 0));
  return {
    now: () => new Date(Date.now() + offsetMs),
    environmentOf: (name) => {
      const environment = clockEnvironment(fileOf(name));
      wrongMs.set(name, 0);
      write(name);
      return environment;
    },
    begin: () => moveDatabase(offsetMs),
    async pass(ms) {
      offsetMs += ms;
      write(FIRST);
      await delay(REREAD_MS);
      await moveDatabase(offsetMs);
      for (const name of wrongMs.keys()) write(name);
      await delay(REREAD_MS);
    },
    putWrong(name, ms) {
      wrongMs.set(name, ms);
      write(name);
    },
  };
}
