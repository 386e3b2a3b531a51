import type { Database } from "./database.ts";
import type { RetryTiming } from "./duration.ts";
import type { FunctionConfig } from "./functions.ts";
import type { AppClient } from "./http.ts";

/** The functions of the app, as of the last sync that had no problems. */
export interface Registry {
  functions: ReadonlyMap<string, FunctionConfig>;
  /** Sentences about what the last sync refused; while there are any, nothing new is taken over. */
  problems: readonly string[];
  /** When the app last answered a sync, in milliseconds. */
  syncedAtMs: number | undefined;
  /** Why the last sync failed, if it did. */
  failure: string | undefined;
}

/** What the parts of the executor share. */
export interface Engine {
  db: Database;
  app: AppClient;
  registry: Registry;
  timing: RetryTiming;
  /** Has the executor look at once for what is due. */
  nudge(): void;
  /** Asks for a sync soon, because the app did not know a function. */
  requestSync(): void;
  log(line: string): void;
}

/** A task that repeats until stopped. */
export interface Repeated {
  /** Runs it again as soon as possible instead of waiting for the interval. */
  soon(): void;
  /** Stops and waits for a running turn. */
  stop(): Promise<void>;
}

/** Runs `turn`, which must not throw, now and `intervalMs()` after the end of each turn, never twice at a time. */
export function repeat(turn: () => Promise<void>, intervalMs: () => number): Repeated {
  let isStopped = false;
  let isAskedFor = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const start = () => {
    timer = undefined;
    isAskedFor = false;
    running = turn().finally(() => {
      running = undefined;
      if (!isStopped) timer = setTimeout(start, isAskedFor ? 0 : intervalMs());
    });
  };
  start();
  return {
    soon() {
      isAskedFor = true;
      if (timer === undefined || isStopped) return;
      clearTimeout(timer);
      start();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
