import { type SQL, sql } from "drizzle-orm";
import type { FullCtx } from "#lib/context.ts";

/** Bytes of a row and of its entries in all indexes, with texts as long as real ones. */
interface RowSize {
  table: string;
  heapBytes: number;
  indexBytes: number;
}

/** As long as an id of ours. */
const id = (prefix: string): SQL => sql`${sql.raw(`'${prefix}_'`)} || lpad(n::text, 26, '0')`;
const owner = (prefix: string): SQL => sql`${sql.raw(`'${prefix}_'`)} || lpad((n % 1000)::text, 26, '0')`;
const words = (characters: number): SQL =>
  sql`left(md5(n::text) || ' ' || md5('a' || n) || repeat(' lorem ipsum dolor ' || md5('b' || n), 12), ${sql.raw(String(characters))})`;
const at = sql`now() - n * interval '1 second'`;
const imageKey = sql`'pins/' || md5('i' || n) || left(md5('j' || n), 8) || '.jpg'`;

/** Columns that a pin's whole life fills, by table. */
const ROWS: Record<string, Record<string, SQL>> = {
  pins: {
    id: id("pin"),
    user_id: owner("usr"),
    account_id: owner("acc"),
    board_id: sql`'123456789012345678'`,
    source: sql`'ai'`,
    title: words(60),
    description: words(300),
    alt_text: words(120),
    link: sql`'https://shop.example.com/products/' || md5(n::text)`,
    keyword: words(25),
    image_key: imageKey,
    placeholder: words(180),
    likeness: sql`left(md5(n::text), 16)`,
    status: sql`'published'`,
    scheduled_at: at,
    published_at: at,
    pinterest_pin_id: sql`(10::numeric ^ 17 + n)::bigint::text`,
    batch_id: id("bat"),
    created_at: at,
    updated_at: at,
  },
  generation_tasks: {
    id: id("tsk"),
    group_id: sql`'grp_' || lpad((n / 10)::text, 26, '0')`,
    user_id: owner("usr"),
    position: sql`n % 10`,
    keyword: words(25),
    cost_credits: sql`1`,
    status: sql`'SUCCESS'`,
    title: words(60),
    description: words(300),
    alt_text: words(120),
    image_key: imageKey,
    image_ms: sql`20000`,
    pin_id: id("pin"),
    called_at: at,
    sent_at: at,
    wake_at: at,
    created_at: at,
    started_at: at,
    finished_at: at,
  },
  generation_groups: {
    id: id("grp"),
    user_id: owner("usr"),
    account_id: owner("acc"),
    board_id: sql`'123456789012345678'`,
    quality: sql`'standard'`,
    total_tasks: sql`10`,
    created_at: at,
    finished_at: at,
  },
  publish_attempts: {
    id: id("att"),
    pin_id: id("pin"),
    schedule_generation: sql`1`,
    number: sql`1`,
    state: sql`'settled'`,
    outcome: sql`'created'`,
    armed_at: at,
    called_at: at,
    answered_at: at,
    settled_at: at,
    pinterest_pin_id: sql`(10::numeric ^ 17 + n)::bigint::text`,
    http_status: sql`201`,
  },
  credit_transfers: {
    id: id("trn"),
    user_id: owner("usr"),
    cause: sql`'spend:tsk_' || lpad(n::text, 26, '0')`,
    kind: sql`'spend'`,
    created_at: at,
    number: sql`n`,
  },
  credit_lines: { transfer_id: id("trn"), account: sql`'spent'`, credits: sql`1` },
  credit_reservations: {
    reference: id("tsk"),
    user_id: owner("usr"),
    from_allowance: sql`1`,
    from_purchased: sql`0`,
    period: sql`'2026-11'`,
    created_at: at,
    settled_at: at,
    outcome: sql`'spend'`,
  },
  live_events: { id: sql`n`, user_id: owner("usr"), kind: sql`'task'`, subject: id("tsk"), created_at: at },
  link_checks: {
    url_hash: sql`md5(n::text) || md5('h' || n)`,
    url: sql`'https://shop.example.com/products/' || md5(n::text)`,
    host: sql`'example.com'`,
    state: sql`'ok'`,
    http_status: sql`200`,
    requested_at: at,
    fetched_at: at,
    checked_at: at,
  },
  pin_metrics: {
    pin_id: id("pin"),
    account_id: owner("acc"),
    state: sql`'ready'`,
    first_day: sql`current_date - 90`,
    ready_through: sql`current_date - 2`,
    impressions: sql`(select array_agg(m * (10 + n % 7)) from generate_series(1, 89) as m)`,
    pin_clicks: sql`(select array_agg(m / 3 + n % 5) from generate_series(1, 89) as m)`,
    outbound_clicks: sql`(select array_agg(m / 9 + n % 3) from generate_series(1, 89) as m)`,
    saves: sql`(select array_agg(m / 7 + n % 2) from generate_series(1, 89) as m)`,
    fetched_at: at,
  },
};

const measureTable = async ({ db }: FullCtx, table: string, rows: number): Promise<RowSize> => {
  const copy = sql.identifier(`size_of_${table}`);
  await db.execute(sql`create table ${copy} (like ${sql.identifier(table)} including all)`);
  const columns = Object.entries(ROWS[table] ?? {});
  const names = sql.join(
    columns.map(([name]) => sql.identifier(name)),
    sql`, `,
  );
  const values = sql.join(
    columns.map(([, value]) => value),
    sql`, `,
  );
  await db.execute(sql`insert into ${copy} (${names}) select ${values} from generate_series(1, ${rows}::int) as n`);
  const [size] = await db.execute<{ heap: number; indexes: number }>(sql`
    select pg_table_size(c.oid)::float8 as heap, pg_indexes_size(c.oid)::float8 as indexes
    from pg_class as c where c.relname = ${`size_of_${table}`}`);
  await db.execute(sql`drop table ${copy}`);
  if (!size) throw new Error(`${table} has no size.`);
  return { table, heapBytes: Math.round(size.heap / rows), indexBytes: Math.round(size.indexes / rows) };
};

/** Fresh tables: later updates leave up to as much again until they are vacuumed. */
export const measureSizes = async (ctx: FullCtx, rows: number): Promise<RowSize[]> => {
  const all: RowSize[] = [];
  for (const table of Object.keys(ROWS)) all.push(await measureTable(ctx, table, rows));
  return all;
};
