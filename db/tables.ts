import type { ISql } from "postgres";

// The contents of a database dump, read from PostgreSQL's own catalog, so that no table is missed.

export interface TableShape {
  name: string;
  columns: string[];
  key: string[];
}

export interface SequenceState {
  name: string;
  lastValue: string;
}

export interface SchemaVersion {
  migrations: number;
  /** When the newest migration was written, in milliseconds: its name in the journal. */
  newest: string;
}

export type Queryable = Pick<ISql, "unsafe">;

type Row = TableShape & { needs: string[] };

/** Sorts tables after those they refer to. @throws Error for circular references. */
const inOrder = (rows: readonly Row[]): Row[] => {
  const placed = new Map<string, Row>();
  while (placed.size < rows.length) {
    const next = rows.filter(({ name, needs }) => !placed.has(name) && needs.every((other) => placed.has(other)));
    if (next.length === 0) throw new Error("These tables have circular references.");
    for (const row of next) placed.set(row.name, row);
  }
  return [...placed.values()];
};

/** Without unlogged tables, whose contents may be lost at any time. */
export const listTables = async (sql: Queryable): Promise<TableShape[]> => {
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
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence <> 'u'
    order by c.relname`);
  return inOrder(rows).map(({ name, columns, key }) => ({ name, columns, key }));
};

export const listSequences = async (sql: Queryable): Promise<SequenceState[]> => {
  const rows = await sql.unsafe<SequenceState[]>(`
    select sequencename as name, last_value::text as "lastValue" from pg_sequences
    where schemaname = 'public' and last_value is not null order by 1`);
  return [...rows];
};

/** The schema version of a database; null when it was never migrated. */
export const readSchemaVersion = async (sql: Queryable): Promise<SchemaVersion | null> => {
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

export const copyTarget = ({ name, columns }: TableShape): string =>
  `${quoted(name)} (${columns.map(quoted).join(", ")})`;

/** COPY of all rows in an order that is the same on every server, so that equal content gives equal bytes. */
export const copyOut = ({ name, columns, key }: TableShape): string => {
  const order = key.map((column) => `${quoted(column)}::text collate "C"`).join(", ");
  return `copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)} order by ${order}) to stdout`;
};

/** Makes COPY write the same bytes regardless of server and user defaults. */
export const PLAIN_SESSION =
  "set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local bytea_output = 'hex'";

/** Disables or enables a table's own triggers; this locks the table until the transaction ends. */
export const switchTriggers = ({ name }: TableShape, to: "disable" | "enable"): string =>
  `alter table ${quoted(name)} ${to} trigger user`;

export const allOf = ({ name }: TableShape): string => quoted(name);
