import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Database } from "./client.ts";
import * as schema from "./schema/index.ts";
import {
  allOf,
  copyOut,
  copyTarget,
  listSequences,
  listTables,
  PLAIN_SESSION,
  readSchemaVersion,
  type SchemaVersion,
  type SequenceState,
  switchTriggers,
  type TableShape,
} from "./tables.ts";

interface DumpedTable extends TableShape {
  rows: number;
  sha256: string;
}

interface Dump {
  /** By the database's clock, ISO 8601. */
  takenAt: string;
  schema: SchemaVersion;
  tables: DumpedTable[];
  sequences: SequenceState[];
}

const createMeter = () => {
  const hash = createHash("sha256");
  let rows = 0;
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
      done(null, chunk);
    },
  });
  return { stream, read: () => ({ rows, sha256: hash.digest("hex") }) };
};

const tableFile = (folder: string, { name }: Pick<TableShape, "name">): string => join(folder, `${name}.copy.gz`);

const dumpTable = async (tx: postgres.TransactionSql, table: TableShape, folder: string): Promise<DumpedTable> => {
  const meter = createMeter();
  const target = createWriteStream(tableFile(folder, table), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(await tx.unsafe(copyOut(table)).readable(), meter.stream, createGzip(), target);
  return { ...table, ...meter.read() };
};

/** From one read-only snapshot. @throws Error when the database was never migrated, or a file already exists */
export const dumpDatabase = async <R>(
  url: string,
  folder: string,
  also: (tx: postgres.TransactionSql) => Promise<R>,
): Promise<{ dump: Dump; more: R }> => {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const result = await sql.begin("isolation level repeatable read read only", async (tx) => {
      await tx.unsafe(PLAIN_SESSION);
      const schema = await readSchemaVersion(tx);
      if (!schema) throw new Error("This database has never been migrated.");
      const [snapshot] = await tx<{ at: Date }[]>`select now() as at`;
      const tables: DumpedTable[] = [];
      for (const table of await listTables(tx)) tables.push(await dumpTable(tx, table, folder));
      const takenAt = (snapshot?.at ?? new Date()).toISOString();
      return { dump: { takenAt, schema, tables, sequences: await listSequences(tx) }, more: await also(tx) };
    });
    return result as { dump: Dump; more: R };
  } finally {
    await sql.end({ timeout: 5 });
  }
};

export const readImageKeys = async (tx: postgres.TransactionSql): Promise<string[]> => {
  const rows = await tx<{ key: string }[]>`
    select image_key as key from pins union select base_image_key from pins where base_image_key is not null
    union select image_key from generation_tasks where image_key is not null
    union select logo_key from brand_kits where logo_key is not null
    union select image_key from pin_slides union select video_key from pin_videos
    union select replaced->>'imageKey' from generation_tasks where replaced is not null and finished_at > now() - interval '1 day'
    union select replaced->>'baseImageKey' from generation_tasks
      where replaced->>'baseImageKey' is not null and finished_at > now() - interval '1 day'
    order by 1`;
  return rows.map(({ key }) => key);
};

/** Why a dump cannot be loaded, in one sentence for the operator. Nothing was changed. */
export class LoadError extends Error {}

/** Tables whose first row a migration writes; it is replaced by the dump's. */
const SEEDED = ["live_horizon"];

/** Skips numbers that the lost database may have used after the dump. */
const SEQUENCE_LEAP = 1_000_000n;

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

const describeVersion = ({ migrations, newest }: SchemaVersion): string =>
  `${migrations} migrations, the newest from ${new Date(Number(newest)).toISOString().slice(0, 16)}`;

const assertSameSchema = async (tx: postgres.TransactionSql, dump: Dump): Promise<void> => {
  const version = await readSchemaVersion(tx);
  if (version?.migrations !== dump.schema.migrations || version.newest !== dump.schema.newest) {
    const here = version ? describeVersion(version) : "none";
    throw new LoadError(
      `The backup was made by another version of the database (${describeVersion(dump.schema)}; this database: ${here}). Restore it with the product version that made it, then upgrade.`,
    );
  }
  const names = (await listTables(tx)).map(({ name }) => name).toSorted();
  const expected = dump.tables.map(({ name }) => name).toSorted();
  if (names.join() !== expected.join()) throw new LoadError("The backup contains different tables than this database.");
};

/** Locks every table against writers and requires it to be empty. */
const assertEmpty = async (tx: postgres.TransactionSql, dump: Dump): Promise<void> => {
  for (const table of dump.tables) await tx.unsafe(switchTriggers(table, "disable"));
  for (const table of dump.tables) {
    if (SEEDED.includes(table.name)) await tx.unsafe(`delete from ${allOf(table)}`);
    const found = await tx.unsafe(`select 1 from ${allOf(table)} limit 1`);
    if (found.length > 0) throw new LoadError(`The database is not empty (${table.name}); restore into an empty one.`);
  }
};

const loadTable = async (tx: postgres.TransactionSql, table: DumpedTable, folder: string): Promise<void> => {
  const target = await tx.unsafe(`copy ${copyTarget(table)} from stdin`).writable();
  await pipeline(createReadStream(tableFile(folder, table)), createGunzip(), target);
  const { rows, sha256 } = await measureTable(tx, table);
  if (rows !== table.rows || sha256 !== table.sha256) {
    throw new LoadError(
      `The table ${table.name} differs from the backup after loading (${rows} of ${table.rows} rows).`,
    );
  }
};

const advanceSequences = async (tx: postgres.TransactionSql, { sequences }: Dump): Promise<void> => {
  for (const { name, lastValue } of sequences) {
    await tx`select setval(${`public.${name}`}::regclass, ${String(BigInt(lastValue) + SEQUENCE_LEAP)}::bigint)`;
  }
};

const builderOn = (client: postgres.Sql, tx: postgres.TransactionSql): Database =>
  drizzle(Object.assign(tx, { options: client.options }) as unknown as postgres.Sql, { schema, casing: "snake_case" });

/** In one transaction, with triggers off: the rows already contain their effects. @throws LoadError */
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
      await assertSameSchema(tx, dump);
      await assertEmpty(tx, dump);
      for (const table of dump.tables) await loadTable(tx, table, folder);
      await advanceSequences(tx, dump);
      await finish(builderOn(sql, tx));
      for (const table of dump.tables) await tx.unsafe(switchTriggers(table, "enable"));
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** Whether the product never used a database, so that migrating it is safe. */
export const isUntouched = async (url: string): Promise<boolean> => {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    return (await readSchemaVersion(sql)) === null && (await listTables(sql)).length === 0;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
