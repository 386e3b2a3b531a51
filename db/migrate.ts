import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { type Database, openDatabase, type Transaction } from "./client.ts";
import journal from "./migrations/meta/_journal.json" with { type: "json" };
import { isDeadlock, isLockTimeout } from "./sql.ts";

export const isMigrated = async (db: Database): Promise<boolean> => {
  const rows = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  return (rows[0]?.count ?? 0) >= journal.entries.length;
};

/** The first line of a migration whose statements run one by one, as `create index concurrently` must. */
const NO_TRANSACTION = "-- no transaction";
const LOCK_POLL_MS = 200;

const isInTransaction = ({ sql: [first = ""] }: MigrationMeta): boolean => !first.startsWith(NO_TRANSACTION);

/** Polls, because a session that waits in a statement holds a snapshot, for which a concurrent index would wait. */
const lockMigrations = async (db: Database): Promise<void> => {
  for (;;) {
    const [row] = await db.execute<{ locked: boolean }>(
      sql`select pg_try_advisory_lock(hashtext('migrate')) as locked`,
    );
    if (row?.locked) return;
    await delay(LOCK_POLL_MS);
  }
};

/** The table of Drizzle's own migrator, which applied the first migrations. */
const createRecord = async (db: Database): Promise<void> => {
  await db.execute(sql`create schema if not exists drizzle`);
  await db.execute(
    sql`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
  );
};

const record = (db: Database | Transaction, { hash, folderMillis }: MigrationMeta) =>
  db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`);

const findMissing = async (db: Database, all: readonly MigrationMeta[]): Promise<MigrationMeta[]> => {
  const [row] = await db.execute<{ newest: string | null }>(
    sql`select max(created_at)::text as newest from drizzle.__drizzle_migrations`,
  );
  return all.filter(({ folderMillis }) => folderMillis > Number(row?.newest ?? 0));
};

const CONCURRENT_INDEX = /\bcreate\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+"?(\w+)"?/i;

/** An interrupted build leaves an invalid index, which `if not exists` would keep. */
const dropInvalidIndex = async (db: Database, statement: string): Promise<void> => {
  const name = CONCURRENT_INDEX.exec(statement)?.[1];
  if (name === undefined) return;
  const [row] = await db.execute<{ invalid: boolean }>(
    sql`select not indisvalid as invalid from pg_index where indexrelid = to_regclass(${`"${name}"`}::text)`,
  );
  if (row?.invalid) await db.execute(sql.raw(`drop index concurrently "${name}"`));
};

const runAlone = async (db: Database, migration: MigrationMeta): Promise<void> => {
  for (const statement of migration.sql) {
    await dropInvalidIndex(db, statement);
    await db.execute(sql.raw(statement));
  }
  await record(db, migration);
};

const LOCK_WAIT_SECONDS = 5;
const LOCK_TRIES_MAX = 100;

const applyTogether = (db: Database, migrations: readonly MigrationMeta[]): Promise<void> =>
  db.transaction(async (tx) => {
    // A statement that waits for a lock makes all later queries of its table wait as well.
    await tx.execute(sql.raw(`set local lock_timeout = '${LOCK_WAIT_SECONDS}s'`));
    for (const migration of migrations) {
      for (const statement of migration.sql) await tx.execute(sql.raw(statement));
      await record(tx, migration);
    }
  });

/** In one transaction, so that it can be repeated while another one, such as a backup, holds a table. */
const runTogether = async (db: Database, migrations: readonly MigrationMeta[], tries = 1): Promise<void> => {
  try {
    await applyTogether(db, migrations);
  } catch (error) {
    if (!(isLockTimeout(error) || isDeadlock(error)) || tries >= LOCK_TRIES_MAX) throw error;
    await delay(LOCK_WAIT_SECONDS * 1_000);
    await runTogether(db, migrations, tries + 1);
  }
};

/** Splits migrations into those that run in one transaction, and single ones that run without. */
const batchesOf = (migrations: readonly MigrationMeta[]): MigrationMeta[][] => {
  const batches: MigrationMeta[][] = [];
  for (const migration of migrations) {
    const last = batches.at(-1);
    if (last?.every(isInTransaction) && isInTransaction(migration)) last.push(migration);
    else batches.push([migration]);
  }
  return batches;
};

/**
 * Applies missing migrations. Safe to run repeatedly and concurrently: one process migrates, the others wait for it.
 * @param folder migrations and their journal; the product's own by default
 */
export const migrateDatabase = async (url: string, folder?: string): Promise<void> => {
  const migrationsFolder = folder ?? join(import.meta.dirname, "migrations");
  const all = readMigrationFiles({ migrationsFolder });
  // No timeout: building an index may take long.
  const { db, close } = openDatabase(url, 1, { responseTimeoutMs: 0 });
  try {
    await lockMigrations(db);
    await createRecord(db);
    for (const batch of batchesOf(await findMissing(db, all))) {
      // The session holds the lock already, unless its connection was lost and opened again.
      await lockMigrations(db);
      const [first] = batch;
      if (first && !isInTransaction(first)) await runAlone(db, first);
      else await runTogether(db, batch);
    }
  } finally {
    await close();
  }
};
