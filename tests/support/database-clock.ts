import { sql } from "drizzle-orm";
import { type Database, openDatabase } from "#db/client.ts";

/**
 * A movable clock for test databases. The product reads PostgreSQL's time only with `now()` and `clock_timestamp()`;
 * the schema `moved` comes first in the search path and overrides them with an offset.
 */
const MOVED = [
  "create schema moved",
  "create table moved.clock (offset_ms bigint not null, frozen_at timestamptz)",
  "insert into moved.clock values (0, null)",
  ...["now", "clock_timestamp", "statement_timestamp", "transaction_timestamp"].map(
    (name) =>
      `create function moved.${name}() returns timestamptz language sql volatile as
       'select coalesce(frozen_at, pg_catalog.${name}()) + offset_ms * interval ''1 millisecond'' from moved.clock'`,
  ),
];

/** Adds the movable clock to a database, at real time; databases cloned from it have it too. */
export async function installDatabaseClock(url: string): Promise<void> {
  const { db, close } = openDatabase(url, 1);
  try {
    for (const statement of MOVED) await db.execute(sql.raw(statement));
  } finally {
    await close();
  }
}

/** Makes new sessions of a database use its movable clock. Clones do not inherit this setting. */
export async function attachDatabaseClock(url: string): Promise<void> {
  const { db, close } = openDatabase(url, 1);
  const name = new URL(url).pathname.slice(1);
  try {
    await db.execute(sql.raw(`alter database "${name}" set search_path to public, moved, pg_catalog`));
  } finally {
    await close();
  }
}

/** Sets a test database's offset from real time, in milliseconds. */
export async function moveDatabaseClock(db: Pick<Database, "execute">, offsetMs: number): Promise<void> {
  await db.execute(sql`update moved.clock set offset_ms = ${offsetMs}`);
}

/** Stops a test database's clock, so that only `moveDatabaseClock` moves it: for waits shorter than a slow machine's. */
export async function freezeDatabaseClock(db: Pick<Database, "execute">): Promise<void> {
  await db.execute(sql`update moved.clock set frozen_at = pg_catalog.now()`);
}
