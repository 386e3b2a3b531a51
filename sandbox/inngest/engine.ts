import type { Database } from "./database.ts";
import type { FunctionConfig } from "./functions.ts";
import type { AppClient } from "./http.ts";
import type { RetryTiming } from "./time.ts";

/** The functions of the app as of the last valid sync. */
export interface Registry {
  functions: ReadonlyMap<string, FunctionConfig>;
  /** What was wrong with the last sync; while it is not empty, the functions are not updated. */
  problems: readonly string[];
  /** Time of the last successful sync, in milliseconds. */
  syncedAtMs: number | undefined;
  failure: string | undefined;
}

export interface Engine {
  db: Database;
  app: AppClient;
  registry: Registry;
  timing: RetryTiming;
  pollNow(): void;
  /** Requests a sync soon, because the app did not know a function. */
  requestSync(): void;
  log(line: string): void;
}

export interface RepeatingTask {
  /** Runs the task as soon as possible instead of waiting for the interval. */
  runSoon(): void;
  stop(): Promise<void>;
}

/** Runs `task`, which must not throw, now and again `intervalMs()` after it ends. Never runs it twice at a time. */
export function repeat(task: () => Promise<void>, intervalMs: () => number): RepeatingTask {
  let isStopped = false;
  let isRequested = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const start = () => {
    timer = undefined;
    isRequested = false;
    running = task().finally(() => {
      running = undefined;
      if (!isStopped) timer = setTimeout(start, isRequested ? 0 : intervalMs());
    });
  };
  start();
  return {
    runSoon() {
      isRequested = true;
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
