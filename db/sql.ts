import { inArray, type SQL, sql } from "drizzle-orm";
import { DrizzleQueryError } from "drizzle-orm/errors";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "./client.ts";

/** Whether the database ended a transaction because it and another one waited for each other (PostgreSQL's 40P01). */
export const isDeadlock = (error: unknown): boolean => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "40P01";
};

/** Whether a write failed because another row has that value already (PostgreSQL's 23505). */
export const isTaken = (error: unknown): boolean => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "23505";
};

/** An index by pg_trgm knows words by three letters in a row of the alphabet that every database takes for letters. */
const isIndexed = (word: string): boolean => /[a-z0-9]{3}/.test(word);

/** Whether a text in lower case contains a word in lower case; in a form that an index of the same text can answer. */
export const containsWord = (text: SQL, word: string): SQL =>
  isIndexed(word) ? sql`${text} like ${`%${word.replace(/[\\%_]/g, "\\$&")}%`}` : sql`strpos(${text}, ${word}) > 0`;

/**
 * A statement that is put together once for each database handle, not once for each call: for the few that every
 * request needs. `build` calls `.prepare(name)`; a transaction builds it anew.
 */
export const preparedOnce = <Q>(build: (db: Database | Transaction) => Q): ((db: Database | Transaction) => Q) => {
  const kept = new WeakMap<Database | Transaction, Q>();
  return (db) => {
    const known = kept.get(db);
    if (known !== undefined) return known;
    const built = build(db);
    kept.set(db, built);
    return built;
  };
};

/** What to delete: rows of `table` that meet `where`, told apart by `key`. */
interface Retired {
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
