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
