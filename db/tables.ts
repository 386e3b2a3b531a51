import type { ISql } from "postgres";

// What a copy of the database is made of. Read from PostgreSQL's own catalogue, so that no table can be forgotten.

/** A table with its columns and primary key, in the order they have. */
export interface TableShape {
  name: string;
  columns: string[];
  key: string[];
}

/** A sequence and the last number it gave out. */
export interface SequenceState {
  name: string;
  /** A number of up to 64 bits, as text. */
  lastValue: string;
}

/** Which migrations a database has seen. */
export interface SchemaVersion {
  migrations: number;
  /** When the newest one was written, in milliseconds: its name in the journal. */
  newest: string;
}

/** A driver's connection or transaction. */
export type Asker = Pick<ISql, "unsafe">;

type Row = TableShape & { needs: string[] };

/** Tables after those they refer to. @throws Error when they refer to each other in a circle. */
const inOrder = (rows: readonly Row[]): Row[] => {
  const placed = new Map<string, Row>();
  while (placed.size < rows.length) {
    const next = rows.filter(({ name, needs }) => !placed.has(name) && needs.every((other) => placed.has(other)));
    if (next.length === 0) throw new Error("These tables refer to each other in a circle.");
    for (const row of next) placed.set(row.name, row);
  }
  return [...placed.values()];
};

/** Every table of ours (schema `public`), those that others refer to first. */
export const listTables = async (sql: Asker): Promise<TableShape[]> => {
  const rows = await sql.unsafe<Row[]>(`
    select c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select array_agg(a.attname::text order by a.attnum) from pg_index i
        join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select coalesce(array_agg(distinct other.relname::text), '{}') from pg_constraint f
        join pg_class other on other.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`);
  return inOrder(rows).map(({ name, columns, key }) => ({ name, columns, key }));
};

/** Every sequence that was used. */
export const listSequences = async (sql: Asker): Promise<SequenceState[]> => {
  const rows = await sql.unsafe<SequenceState[]>(`
    select sequencename as name, last_value::text as "lastValue" from pg_sequences
    where schemaname = 'public' and last_value is not null order by 1`);
  return [...rows];
};

/** The version of a database's schema; null when it was never migrated. */
export const readSchemaVersion = async (sql: Asker): Promise<SchemaVersion | null> => {
  const [place] = await sql.unsafe<{ exists: boolean }[]>(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as exists",
  );
  if (!place?.exists) return null;
  const [row] = await sql.unsafe<SchemaVersion[]>(`
    select count(*)::int as migrations, coalesce(max(created_at), 0)::text as newest
    from drizzle.__drizzle_migrations`);
  return row ?? null;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** COPY's words for a table and its columns. */
export const copyTarget = ({ name, columns }: TableShape): string =>
  `${quoted(name)} (${columns.map(quoted).join(", ")})`;

/** COPY of all rows in an order that is the same on every server, so that equal content gives equal bytes. */
export const copyOut = ({ name, columns, key }: TableShape): string => {
  const order = key.map((column) => `${quoted(column)}::text collate "C"`).join(", ");
  return `copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)} order by ${order}) to stdout`;
};

/** What makes COPY write the same bytes whatever the server's and the user's defaults are. */
export const PLAIN_SESSION =
  "set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local bytea_output = 'hex'";

/** Switches a table's own triggers off or on; nobody else writes to it until the transaction ends. */
export const switchTriggers = ({ name }: TableShape, to: "disable" | "enable"): string =>
  `alter table ${quoted(name)} ${to} trigger user`;

/** All rows of a table. */
export const allOf = ({ name }: TableShape): string => quoted(name);
