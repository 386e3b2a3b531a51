import "server-only";
import { jobContext } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { type KeyUse, recordUses } from "#lib/features/api-keys/authentication.ts";
import { onShutdown } from "../shutdown.ts";

/** A kill loses at most the reads of this time: writes and refusals are recorded before they are answered. */
const FLUSH_AFTER_MS = SECOND_MS;
const WAITING_MAX = 10_000;

interface Waiting {
  uses: KeyUse[];
  timer: NodeJS.Timeout | undefined;
}

// Next bundles modules once per layer; a global keeps one list per process.
const GLOBAL_KEY = Symbol.for("app.key-uses");
const globalStore = globalThis as { [GLOBAL_KEY]?: Waiting };

const waiting = (): Waiting => {
  globalStore[GLOBAL_KEY] ??= { uses: [], timer: undefined };
  return globalStore[GLOBAL_KEY];
};

const flush = async (): Promise<void> => {
  const list = waiting();
  clearTimeout(list.timer);
  list.timer = undefined;
  const uses = list.uses.splice(0);
  if (uses.length === 0) return;
  try {
    await recordUses(jobContext("key-uses"), uses);
  } catch (error) {
    list.uses.unshift(...uses.slice(0, WAITING_MAX));
    writeEvent(createWideEvent({ at: new Date().toISOString(), key_uses_problem: messageOf(error) }));
  }
};

/** For the owner's security log. `isUrgent`: resolves once it is stored, otherwise within a second. */
export const noteUse = async (use: KeyUse, isUrgent: boolean): Promise<void> => {
  const list = waiting();
  list.uses.push(use);
  if (isUrgent || list.uses.length > WAITING_MAX) return flush();
  if (list.timer) return;
  onShutdown(flush);
  list.timer = setTimeout(() => void flush(), FLUSH_AFTER_MS);
  list.timer.unref();
};
