import "server-only";
import type { Ctx } from "#lib/context.ts";
import { LIVE_READ_MS } from "./constants.ts";

/** Answers of Pinterest kept in this process for at most a minute (D8). */
export interface LiveReads<T> {
  /** The kept answer for an account, or a new one. Simultaneous readers share one call; failures are not kept. */
  read(ctx: Pick<Ctx, "now">, accountId: string, load: () => Promise<T>): Promise<T>;
}

interface Kept<T> {
  readAtMs: number;
  answer: Promise<T>;
}

const MAX_KEPT = 500;

/** A bounded memory of live reads, keyed by account; the oldest goes first. */
export const createLiveReads = <T>(): LiveReads<T> => {
  const kept = new Map<string, Kept<T>>();
  return {
    read: (ctx, accountId, load) => {
      const nowMs = ctx.now().getTime();
      const known = kept.get(accountId);
      const ageMs = known ? nowMs - known.readAtMs : Number.POSITIVE_INFINITY;
      if (known && ageMs >= 0 && ageMs < LIVE_READ_MS) return known.answer;
      const entry: Kept<T> = { readAtMs: nowMs, answer: load() };
      kept.delete(accountId);
      kept.set(accountId, entry);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      const forget = () => {
        if (kept.get(accountId) === entry) kept.delete(accountId);
      };
      entry.answer.catch(forget);
      return entry.answer;
    },
  };
};
