import "server-only";
import { sql } from "drizzle-orm";
import { healthMinutes } from "#db/schema/health.ts";
import type { Ctx } from "#lib/context.ts";

/** Between which minutes there are records: from the first one to the minute that runs now, which is not over. */
export interface Span {
  since: Date | null;
  until: Date;
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(Number(ms)));
const msOf = (expression: ReturnType<typeof sql>) => sql`floor(extract(epoch from ${expression}) * 1000)::float8`;

/** The span of the records, by the database's clock. One query. */
export const findSpan = async (ctx: Ctx): Promise<Span> => {
  const [row] = await ctx.db.execute<{ since: number | null; until: number }>(sql`
    select ${msOf(sql`min(minute)`)} as since, ${msOf(sql`date_trunc('minute', now())`)} as until
    from ${healthMinutes}`);
  return { since: toDate(row?.since ?? null), until: new Date(Number(row?.until)) };
};

/** How many minutes were recorded from a moment on, and before another; by the moment's name. One query. */
export const countMinutes = async (
  ctx: Ctx,
  from: ReadonlyMap<string, Date>,
  until: Date,
): Promise<Map<string, number>> => {
  const starts = [...from].map(([id, start]) => ({ id, start: start.toISOString() }));
  const rows = await ctx.db.execute<{ id: string; count: number }>(sql`
    select span.id, (
      select count(*)::int from ${healthMinutes}
      where minute >= span.start and minute < ${until.toISOString()}::timestamptz
    ) as count
    from json_to_recordset(${JSON.stringify(starts)}::json) as span(id text, start timestamptz)`);
  return new Map(rows.map(({ id, count }) => [id, count]));
};

/** How many minutes were recorded on each day in UTC (`2026-11-20`), from a moment on and before another. One query. */
export const countDays = async (ctx: Ctx, from: Date, until: Date): Promise<Map<string, number>> => {
  const rows = await ctx.db.execute<{ day: string; count: number }>(sql`
    select to_char(minute at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
    from ${healthMinutes}
    where minute >= ${from.toISOString()}::timestamptz and minute < ${until.toISOString()}::timestamptz
    group by 1`);
  return new Map(rows.map(({ day, count }) => [day, count]));
};

/** Neighbouring records with minutes missing between them, the newest first. `end` null: nothing came after. One query. */
export const findGaps = async (
  ctx: Ctx,
  { from, until, limit }: { from: Date; until: Date; limit: number },
): Promise<{ from: Date; until: Date; isOpen: boolean }[]> => {
  const rows = await ctx.db.execute<{ began: number; ended: number; open: boolean }>(sql`
    with known as (
      select minute, lead(minute) over (order by minute) as following
      from ${healthMinutes} where minute < ${until.toISOString()}::timestamptz
    ), gap as (
      select greatest(minute + interval '1 minute', ${from.toISOString()}::timestamptz) as began,
        coalesce(following, ${until.toISOString()}::timestamptz) as ended, following is null as open
      from known where coalesce(following, ${until.toISOString()}::timestamptz) > minute + interval '1 minute'
    )
    select ${msOf(sql`began`)} as began, ${msOf(sql`ended`)} as ended, open from gap
    where ended > began order by began desc limit ${limit}`);
  return rows.map(({ began, ended, open }) => ({
    from: new Date(Number(began)),
    until: new Date(Number(ended)),
    isOpen: open,
  }));
};
