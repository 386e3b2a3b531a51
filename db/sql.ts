import { inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { DrizzleQueryError } from "drizzle-orm/errors";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { clientOf, type Database, type Transaction } from "./client.ts";
import { mapRowsOnce } from "./row-mapper.ts";

const hasCode = (error: unknown, code: string): boolean => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === code;
};

export const isDeadlock = (error: unknown): boolean => hasCode(error, "40P01");

export const isLockTimeout = (error: unknown): boolean => hasCode(error, "55P03");

export const isUniqueViolation = (error: unknown): boolean => hasCode(error, "23505");

/** A pg_trgm index needs three consecutive ASCII letters or digits, whatever the database's locale. */
const isIndexed = (word: string): boolean => /[a-z0-9]{3}/.test(word);

export const containsWord = (text: SQL, word: string): SQL =>
  isIndexed(word) ? sql`${text} like ${`%${word.replace(/[\\%_]/g, "\\$&")}%`}` : sql`strpos(${text}, ${word}) > 0`;

/** Builds a statement once per process. `build` calls `.prepare(name)`. Each call gets it bound to the given handle. */
export const preparedOnce = <Q extends object>(
  build: (db: Database | Transaction) => Q,
): ((db: Database | Transaction) => Q) => {
  let built: Q | undefined;
  return (db) => {
    if (!built) {
      built = build(db);
      mapRowsOnce(built);
    }
    // Drizzle's statements run on their `client`, which is the only part of them that depends on the handle.
    return Object.create(built, { client: { value: clientOf(db) } }) as Q;
  };
};

/** A placeholder for `set`, which takes no bare ones; encoded as values of the column are. */
export const laterValue = (name: string, column: PgColumn): SQL => sql`${sql.param(sql.placeholder(name), column)}`;

/** Escaped as PostgreSQL reads an array: quoted, so that no value is taken for NULL or a nested array. */
const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;

/**
 * Whether a text column is one of the values, as a single parameter: the statement's text is the same for any number of
 * values, and their number is not limited to 65,535. False for an empty list.
 */
export const isAnyOf = (column: SQLWrapper, values: Iterable<string>): SQL =>
  sql`${column} = any (${arrayLiteral([...values])}::text[])`;

interface BatchDeletion {
  table: PgTable;
  key: PgColumn;
  where: SQL | undefined;
  /** Rows per statement, small enough for short locks and the statement timeout. */
  batch?: number;
  /** No further statement begins after this long, in ms. */
  maxMs?: number;
}

/** Statements commit separately, so interrupted and concurrent calls are harmless. @returns rows without cascades */
export const deleteInBatches = async (
  db: Database | Transaction,
  { table, key, where, batch = 1_000, maxMs = Number.POSITIVE_INFINITY }: BatchDeletion,
): Promise<number> => {
  const endsAtMs = performance.now() + maxMs;
  let deleted = 0;
  do {
    const due = db.select({ key }).from(table).where(where).limit(batch).for("update", { skipLocked: true });
    const { count } = await db.delete(table).where(inArray(key, due));
    deleted += count;
    if (count < batch) break;
  } while (performance.now() < endsAtMs);
  return deleted;
};
