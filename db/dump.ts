import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import postgres from "postgres";
import {
  copyOut,
  listSequences,
  listTables,
  PLAIN_SESSION,
  readSchemaVersion,
  type SchemaVersion,
  type SequenceState,
  type TableShape,
} from "./tables.ts";

/** A table in a copy: its rows, and the SHA-256 of its content as COPY writes it. */
export interface DumpedTable extends TableShape {
  rows: number;
  sha256: string;
}

/** What a database held at one moment. */
export interface Dump {
  /** By the database's clock, ISO 8601. */
  takenAt: string;
  schema: SchemaVersion;
  tables: DumpedTable[];
  sequences: SequenceState[];
}

/** Counts lines and digests bytes on their way: a row is one line of COPY's text format. */
export const createMeter = () => {
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

/** Where a table lies in a copy's folder. */
export const tableFile = (folder: string, { name }: Pick<TableShape, "name">): string =>
  join(folder, `${name}.copy.gz`);

const dumpTable = async (tx: postgres.TransactionSql, table: TableShape, folder: string): Promise<DumpedTable> => {
  const meter = createMeter();
  const target = createWriteStream(tableFile(folder, table), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(await tx.unsafe(copyOut(table)).readable(), meter.stream, createGzip(), target);
  return { ...table, ...meter.read() };
};

/**
 * Writes every table of a database to a folder, all as they were at one moment (one read-only snapshot), while others
 * go on writing. `also` reads what else belongs to that moment.
 * @throws Error when the database was never migrated, or a file exists already.
 */
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
      const [moment] = await tx<{ at: Date }[]>`select now() as at`;
      const tables: DumpedTable[] = [];
      for (const table of await listTables(tx)) tables.push(await dumpTable(tx, table, folder));
      const takenAt = (moment?.at ?? new Date()).toISOString();
      return { dump: { takenAt, schema, tables, sequences: await listSequences(tx) }, more: await also(tx) };
    });
    return result as { dump: Dump; more: R };
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** Keys of all pictures that rows of a snapshot name. */
export const readPictureKeys = async (tx: postgres.TransactionSql): Promise<string[]> => {
  const rows = await tx<{ key: string }[]>`
    select image_key as key from pins union select base_image_key from pins where base_image_key is not null
    union select image_key from generation_tasks where image_key is not null
    union select logo_key from brand_kits where logo_key is not null
    union select replaced->>'imageKey' from generation_tasks where replaced is not null and finished_at > now() - interval '1 day'
    union select replaced->>'baseImageKey' from generation_tasks
      where replaced->>'baseImageKey' is not null and finished_at > now() - interval '1 day'
    order by 1`;
  return rows.map(({ key }) => key);
};
