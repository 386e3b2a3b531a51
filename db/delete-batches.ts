import { inArray, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "./client.ts";

/** What to delete: rows of `table` that meet `where`, told apart by `key`. */
export interface Retired {
  table: PgTable;
  key: PgColumn;
  where: SQL | undefined;
  /** Rows in one statement: short locks, and nothing that a statement's time limit could cut. */
  batch?: number;
}

/** What one call takes on at most; the next night goes on. */
const BATCHES_MAX = 200;

/**
 * Deletes rows in small statements, each for itself: whoever dies in between has deleted less, and the next call goes
 * on. Two at once do no harm. @returns how many rows of the table went, without those that went along with them.
 */
export const deleteInBatches = async (
  db: Database | Transaction,
  { table, key, where, batch = 1_000 }: Retired,
): Promise<number> => {
  let deleted = 0;
  for (let n = 0; n < BATCHES_MAX; n += 1) {
    const due = db.select({ key }).from(table).where(where).limit(batch).for("update", { skipLocked: true });
    const { count } = await db.delete(table).where(inArray(key, due));
    deleted += count;
    if (count < batch) break;
  }
  return deleted;
};
