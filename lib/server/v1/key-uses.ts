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

interface UseLog {
  note: (use: KeyUse, isUrgent: boolean) => Promise<void>;
  flush: () => Promise<void>;
}

/** Collects uses for one statement. What can't be stored is tried again after a second. */
export const createUseLog = (store: (uses: readonly KeyUse[]) => Promise<void>): UseLog => {
  let waiting: KeyUse[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flushLater = (): void => {
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const uses = waiting.splice(0);
    if (uses.length === 0) return;
    try {
      await store(uses);
    } catch (error) {
      waiting = [...uses.slice(0, WAITING_MAX), ...waiting];
      flushLater();
      writeEvent(createWideEvent({ at: new Date().toISOString(), key_uses_problem: messageOf(error) }));
    }
  };
  const note = async (use: KeyUse, isUrgent: boolean): Promise<void> => {
    waiting.push(use);
    if (isUrgent || waiting.length > WAITING_MAX) await flush();
    else flushLater();
  };
  return { note, flush };
};

// Next bundles modules once per layer; a global keeps one list per process.
const GLOBAL_KEY = Symbol.for("app.key-uses");
const globalStore = globalThis as { [GLOBAL_KEY]?: UseLog };

const ownLog = (): UseLog => {
  const known = globalStore[GLOBAL_KEY];
  if (known) return known;
  const log = createUseLog((uses) => recordUses(jobContext("key-uses"), uses));
  globalStore[GLOBAL_KEY] = log;
  onShutdown(log.flush);
  return log;
};

/** For the owner's security log. `isUrgent`: resolves once it is stored, otherwise within a second. */
export const noteUse = (use: KeyUse, isUrgent: boolean): Promise<void> => ownLog().note(use, isUrgent);
