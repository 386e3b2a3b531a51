import { Column, is, SQL } from "drizzle-orm";

type Row = readonly unknown[];
type Decoder = { mapFromDriverValue(value: unknown): unknown };
type Node = Record<string, unknown>;

interface Field {
  path: readonly string[];
  field: unknown;
}

/** What we use of a prepared statement of Drizzle, whose types hide it. */
interface Mapped {
  fields?: readonly Field[] | undefined;
  /** By table; false: of a left join, whose row may be missing. */
  joinsNotNullableMap?: Record<string, boolean> | undefined;
  customResultMapper?: ((rows: readonly Row[]) => unknown) | undefined;
}

const decoderOf = (field: unknown): Decoder | null => {
  if (is(field, Column)) return field;
  const source: unknown = is(field, SQL.Aliased) ? field.sql : field;
  return is(source, SQL) ? (source as unknown as { decoder: Decoder }).decoder : null;
};

const PLAIN = Column.prototype.mapFromDriverValue;

interface Cell {
  name: string;
  /** Of the object that the value is in; null: the row itself. */
  parent: string | null;
  /** Null: the value is used as it comes. */
  decoder: Decoder | null;
}

const toCell = ({ path, field }: Field): Cell | null => {
  const [first, second] = path;
  const decoder = decoderOf(field);
  if (first === undefined || path.length > 2 || !decoder) return null;
  const [parent, name] = second === undefined ? [null, first] : [first, second];
  return { name, parent, decoder: decoder.mapFromDriverValue === PLAIN ? null : decoder };
};

const mapRow = (cells: readonly Cell[], row: Row): Node => {
  const result: Node = {};
  for (let at = 0; at < cells.length; at += 1) {
    const { name, parent, decoder } = cells[at] as Cell;
    const raw = row[at];
    const value = raw === null || decoder === null ? raw : decoder.mapFromDriverValue(raw);
    if (parent === null) result[name] = value;
    else {
      result[parent] ??= {};
      (result[parent] as Node)[name] = value;
    }
  }
  return result;
};

/**
 * Drizzle finds out for each value of each row how it is decoded and where it goes. This does so once per statement, for
 * those without left joins, and gives the same rows.
 */
export const mapRowsOnce = (statement: unknown): void => {
  const mapped = statement as Mapped;
  const { fields, joinsNotNullableMap = {} } = mapped;
  if (!fields || mapped.customResultMapper || Object.values(joinsNotNullableMap).includes(false)) return;
  const cells = fields.flatMap((field) => toCell(field) ?? []);
  if (cells.length < fields.length) return;
  mapped.customResultMapper = (rows) => rows.map((row) => mapRow(cells, row));
};
