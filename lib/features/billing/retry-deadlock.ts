import "server-only";
import { isDeadlock } from "#db/is-deadlock.ts";

/** How often a transaction is tried in all. Each time the database ends one of two, so the other one gets through. */
const TRIES_MAX = 4;

/**
 * Does something once more when the database chose it as the victim of a deadlock: nothing of it was kept. Everything else,
 * and the last of some tries, fails as it does.
 * @param run one transaction, or one savepoint: all that it did must be undone when it fails
 */
export const retryDeadlock = async <R>(run: () => Promise<R>): Promise<R> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries >= TRIES_MAX || !isDeadlock(error)) throw error;
    }
  }
};
