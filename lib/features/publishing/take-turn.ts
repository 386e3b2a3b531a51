import "server-only";
import type { AccountId } from "#lib/core/ids.ts";

/** Per account the end of whatever came last. */
const lasts = new Map<AccountId, Promise<void>>();

/**
 * Works for an account when all that came before in this process is done: in the order of coming, one at a time.
 * Keeps a provider from being called for several pins of one account at once; no correctness depends on it.
 */
export const takeTurn = async <R>(accountId: AccountId, work: () => Promise<R>): Promise<R> => {
  const result = (lasts.get(accountId) ?? Promise.resolve()).then(work);
  const over = result.then(
    () => {},
    () => {},
  );
  lasts.set(accountId, over);
  try {
    return await result;
  } finally {
    if (lasts.get(accountId) === over) lasts.delete(accountId);
  }
};
