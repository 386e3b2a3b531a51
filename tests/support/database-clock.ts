import { sql } from "drizzle-orm";
import { type Database, openDatabase } from "#db/client.ts";

/**
 * A movable clock in a test database. The product asks PostgreSQL for the time by `now()` and `clock_timestamp()`; the
 * schema `moved` has functions of these names that add an offset, and stands before PostgreSQL's own in the search
 * path of every session of the database. The product contains nothing for it.
 */
const MOVED = [
  "create schema moved",
  "create table moved.clock (offset_ms bigint not null)",
  "insert into moved.clock values (0)",
  ...["now", "clock_timestamp", "statement_timestamp", "transaction_timestamp"].map(
    (name) =>
      `create function moved.${name}() returns timestamptz language sql volatile as
       'select pg_catalog.${name}() + (select offset_ms * interval ''1 millisecond'' from moved.clock)'`,
  ),
];

/** Puts the movable clock into a database, standing at the real time; databases that are copied from it have it too. */
export async function installDatabaseClock(url: string): Promise<void> {
  const { db, close } = openDatabase(url, 1);
  try {
    for (const statement of MOVED) await db.execute(sql.raw(statement));
  } finally {
    await close();
  }
}

/** Lets new sessions of a database see its movable clock. A copy does not inherit this. */
export async function attachDatabaseClock(url: string): Promise<void> {
  const { db, close } = openDatabase(url, 1);
  const name = new URL(url).pathname.slice(1);
  try {
    await db.execute(sql.raw(`alter database "${name}" set search_path to public, moved, pg_catalog`));
  } finally {
    await close();
  }
}

/** Sets how far ahead of the real time a test database believes to be, in milliseconds. */
export async function moveDatabaseClock(db: Pick<Database, "execute">, offsetMs: number): Promise<void> {
  await db.execute(sql`update moved.clock set offset_ms = ${offsetMs}`);
}
