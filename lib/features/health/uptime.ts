import "server-only";
import { sql } from "drizzle-orm";
import { healthMinutes } from "#db/schema/health.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, DAY_MS, laterOf, toIso, toIsoOrNull } from "#lib/core/time.ts";
import { dayStart, MEASURED_DAYS, MEASURED_MS, minutesBetween, OUTAGES_MAX, UPTIME_WINDOWS } from "./policy.ts";
import type { MeasuredDay, UptimeReport } from "./schema.ts";

/** Without the current minute. */
interface Span {
  since: Date | null;
  until: Date;
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(Number(ms)));
const msOf = (expression: ReturnType<typeof sql>) => sql`floor(extract(epoch from ${expression}) * 1000)::float8`;

/** On the database's clock. */
const findSpan = async (ctx: Ctx): Promise<Span> => {
  const [row] = await ctx.db.execute<{ since: number | null; until: number }>(sql`
    select ${msOf(sql`min(minute)`)} as since, ${msOf(sql`date_trunc('minute', now())`)} as until
    from ${healthMinutes}`);
  return { since: toDate(row?.since ?? null), until: new Date(Number(row?.until)) };
};

const countMinutes = async (ctx: Ctx, from: ReadonlyMap<string, Date>, until: Date): Promise<Map<string, number>> => {
  const starts = [...from].map(([id, start]) => ({ id, start: start.toISOString() }));
  const rows = await ctx.db.execute<{ id: string; count: number }>(sql`
    select span.id, (
      select count(*)::int from ${healthMinutes}
      where minute >= span.start and minute < ${until.toISOString()}::timestamptz
    ) as count
    from json_to_recordset(${JSON.stringify(starts)}::json) as span(id text, start timestamptz)`);
  return new Map(rows.map(({ id, count }) => [id, count]));
};

/** By UTC day (`2026-11-20`). */
const countDays = async (ctx: Ctx, from: Date, until: Date): Promise<Map<string, number>> => {
  const rows = await ctx.db.execute<{ day: string; count: number }>(sql`
    select to_char(minute at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
    from ${healthMinutes}
    where minute >= ${from.toISOString()}::timestamptz and minute < ${until.toISOString()}::timestamptz
    group by 1`);
  return new Map(rows.map(({ day, count }) => [day, count]));
};

/** Newest first. `isOpen`: no record follows. */
const findOutages = async (
  ctx: Ctx,
  { from, until, limit }: { from: Date; until: Date; limit: number },
): Promise<{ from: Date; until: Date; isOpen: boolean }[]> => {
  const rows = await ctx.db.execute<{ began: number; ended: number; open: boolean }>(sql`
    with known as (
      select minute, lead(minute) over (order by minute) as following
      from ${healthMinutes} where minute < ${until.toISOString()}::timestamptz
    ), outage as (
      select greatest(minute + interval '1 minute', ${from.toISOString()}::timestamptz) as began,
        coalesce(following, ${until.toISOString()}::timestamptz) as ended, following is null as open
      from known where coalesce(following, ${until.toISOString()}::timestamptz) > minute + interval '1 minute'
    )
    select ${msOf(sql`began`)} as began, ${msOf(sql`ended`)} as ended, open from outage
    where ended > began order by began desc limit ${limit}`);
  return rows.map(({ began, ended, open }) => ({
    from: new Date(Number(began)),
    until: new Date(Number(ended)),
    isOpen: open,
  }));
};

const daysOf = (since: Date, until: Date, recorded: ReadonlyMap<string, number>): MeasuredDay[] =>
  Array.from({ length: MEASURED_DAYS }, (_, index) => {
    const start = dayStart(until, MEASURED_DAYS - 1 - index);
    const end = addMs(start, DAY_MS);
    const day = toIso(start).slice(0, 10);
    const elapsedMinutes = minutesBetween(laterOf(start, since), end < until ? end : until);
    return { day, elapsedMinutes, recordedMinutes: recorded.get(day) ?? 0 };
  });

/** Counted from the first record at the earliest. */
export const readUptime = async (ctx: Ctx): Promise<UptimeReport> => {
  const { since, until } = await findSpan(ctx);
  const first = since ?? until;
  const startOf = (days: number) => laterOf(addMs(until, -days * DAY_MS), first);
  const starts = new Map(UPTIME_WINDOWS.map(({ id, days }): [string, Date] => [id, startOf(days)]));
  const firstDay = laterOf(dayStart(until, MEASURED_DAYS - 1), first);
  const [counts, recordedDays, outages] = await Promise.all([
    countMinutes(ctx, starts, until),
    countDays(ctx, firstDay, until),
    findOutages(ctx, { from: laterOf(addMs(until, -MEASURED_MS), first), until, limit: OUTAGES_MAX }),
  ]);
  return {
    since: toIsoOrNull(since),
    until: toIso(until),
    windows: UPTIME_WINDOWS.map(({ id, name, days }) => ({
      id,
      name,
      isWhole: first <= addMs(until, -days * DAY_MS),
      elapsedMinutes: minutesBetween(startOf(days), until),
      recordedMinutes: counts.get(id) ?? 0,
    })),
    days: daysOf(first, until, recordedDays),
    outages: outages.map((outage) => ({
      from: toIso(outage.from),
      until: outage.isOpen ? null : toIso(outage.until),
      minutes: minutesBetween(outage.from, outage.until),
    })),
  };
};

/** On the database's clock. Late runs do not fill in missed minutes. */
export const recordMinute = async (ctx: Ctx): Promise<{ isNew: boolean }> => {
  const { count } = await ctx.db
    .insert(healthMinutes)
    .values({ minute: sql`date_trunc('minute', now())` })
    .onConflictDoNothing();
  return { isNew: count > 0 };
};
