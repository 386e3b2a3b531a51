import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Database } from "./client.ts";
import { createMeter, type Dump, type DumpedTable, tableFile } from "./dump.ts";
import * as schema from "./schema/index.ts";
import {
  allOf,
  copyOut,
  copyTarget,
  listTables,
  PLAIN_SESSION,
  readSchemaVersion,
  type SchemaVersion,
  switchTriggers,
} from "./tables.ts";

/** Why a copy cannot be loaded here; one sentence for an operator. Nothing was changed. */
export class LoadRefusal extends Error {}

/** Tables whose first row a migration writes: it gives way to the copy's. */
const SEEDED = ["live_horizon"];

/** Numbers that the lost database gave out after the copy are not given out again. */
const SEQUENCE_LEAP = 1_000_000n;

/** The digest and rows of a table's file, or of the table itself. */
export const measureFile = async (folder: string, table: DumpedTable): Promise<{ rows: number; sha256: string }> => {
  const meter = createMeter();
  await pipeline(createReadStream(tableFile(folder, table)), createGunzip(), meter.stream.resume());
  return meter.read();
};

const measureTable = async (tx: postgres.TransactionSql, table: DumpedTable) => {
  const meter = createMeter();
  await pipeline(await tx.unsafe(copyOut(table)).readable(), meter.stream.resume());
  return meter.read();
};

const sayVersion = ({ migrations, newest }: SchemaVersion): string =>
  `${migrations} migrations, the newest of ${new Date(Number(newest)).toISOString().slice(0, 16)}`;

const demandFit = async (tx: postgres.TransactionSql, dump: Dump): Promise<void> => {
  const version = await readSchemaVersion(tx);
  if (version?.migrations !== dump.schema.migrations || version.newest !== dump.schema.newest) {
    const here = version ? sayVersion(version) : "none";
    throw new LoadRefusal(
      `The backup is of another version of the database (${sayVersion(dump.schema)}; here: ${here}). Restore it with the version of the product that made it, then upgrade.`,
    );
  }
  const names = (await listTables(tx)).map(({ name }) => name).toSorted();
  const kept = dump.tables.map(({ name }) => name).toSorted();
  if (names.join() !== kept.join()) throw new LoadRefusal("The backup holds other tables than this database.");
};

/** Locks every table against writers, and looks whether somebody's rows are there. */
const demandEmpty = async (tx: postgres.TransactionSql, dump: Dump): Promise<void> => {
  for (const table of dump.tables) await tx.unsafe(switchTriggers(table, "disable"));
  for (const table of dump.tables) {
    if (SEEDED.includes(table.name)) await tx.unsafe(`delete from ${allOf(table)}`);
    const found = await tx.unsafe(`select 1 from ${allOf(table)} limit 1`);
    if (found.length > 0)
      throw new LoadRefusal(`The database is not empty (${table.name}); restore into an empty one.`);
  }
};

const loadTable = async (tx: postgres.TransactionSql, table: DumpedTable, folder: string): Promise<void> => {
  const target = await tx.unsafe(`copy ${copyTarget(table)} from stdin`).writable();
  await pipeline(createReadStream(tableFile(folder, table)), createGunzip(), target);
  const { rows, sha256 } = await measureTable(tx, table);
  if (rows !== table.rows || sha256 !== table.sha256) {
    throw new LoadRefusal(
      `The table ${table.name} came out different from the backup (${rows} of ${table.rows} rows).`,
    );
  }
};

const advanceSequences = async (tx: postgres.TransactionSql, { sequences }: Dump): Promise<void> => {
  for (const { name, lastValue } of sequences) {
    await tx`select setval(${`public.${name}`}::regclass, ${String(BigInt(lastValue) + SEQUENCE_LEAP)}::bigint)`;
  }
};

/** The query builder on a transaction of the driver; it must not begin one of its own. */
const builderOn = (client: postgres.Sql, tx: postgres.TransactionSql): Database =>
  drizzle(Object.assign(tx, { options: client.options }) as unknown as postgres.Sql, { schema, casing: "snake_case" });

/**
 * Fills an empty, migrated database from a copy, in one transaction: all of it or nothing. Every table is read back and
 * compared with the copy's digest. `finish` belongs to the same transaction; what it throws undoes everything. Triggers
 * are off meanwhile: the rows are what they made already.
 * @throws LoadRefusal
 */
export const loadDatabase = async (
  url: string,
  folder: string,
  dump: Dump,
  finish: (db: Database) => Promise<void>,
): Promise<void> => {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await sql.begin(async (tx) => {
      await tx.unsafe(PLAIN_SESSION);
      await demandFit(tx, dump);
      await demandEmpty(tx, dump);
      for (const table of dump.tables) await loadTable(tx, table, folder);
      await advanceSequences(tx, dump);
      await finish(builderOn(sql, tx));
      for (const table of dump.tables) await tx.unsafe(switchTriggers(table, "enable"));
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** Whether a database was never used by the product: then it may be migrated without asking. */
export const isUntouched = async (url: string): Promise<boolean> => {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    return (await readSchemaVersion(sql)) === null && (await listTables(sql)).length === 0;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
