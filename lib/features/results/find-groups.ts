import "server-only";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { type OffsetStep, offsetSteps } from "#lib/core/zoned-time.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { type Dimension, PLACED_MS } from "./constants.ts";
import { type DayRange, dayOf, type Sums } from "./policy.ts";
import { growthOf, isFresh } from "./queries.ts";

const STEPS_KEPT = 200;
const keptSteps = new Map<string, OffsetStep[]>();

/** How a zone's clock was set in the last years; kept for a day, since asking the calendar so often takes its time. */
const stepsOf = (timeZone: string, now: Date): OffsetStep[] => {
  const key = `${dayOf(now)} ${timeZone}`;
  const steps = keptSteps.get(key) ?? offsetSteps(timeZone, addMs(now, -PLACED_MS), addMs(now, DAY_MS));
  if (keptSteps.size >= STEPS_KEPT) keptSteps.clear();
  keptSteps.set(key, steps);
  return steps;
};

/** What calendar and clock showed in a zone when a pin went out. Beyond the placed days the nearest known offset counts. */
const publishedIn = (timeZone: string, now: Date): SQL => {
  const steps = stepsOf(timeZone, now);
  const listOf = (values: readonly (string | number)[]) => `{${values.join()}}`;
  const since = listOf(steps.slice(1).map((step) => step.since.toISOString()));
  const minutes = listOf(steps.map(({ offsetMs }) => offsetMs / MINUTE_MS));
  // Selected, so that PostgreSQL reads the lists once and not for each pin.
  const place = sql`width_bucket(${pins.publishedAt}, (select ${since}::text::timestamptz[])) + 1`;
  const offset = sql`(select ${minutes}::text::int[])[${place}]`;
  return sql`(${pins.publishedAt} at time zone 'UTC' + make_interval(mins => ${offset}))`;
};

/**
 * Links without a query that is nothing but `utm_` tags, so that what most pins differ in is brought together here
 * already. Other links stay as they are: the rest is left to `nameGroups`. Plain searches, which cost less than patterns.
 */
const untagged: SQL = sql`case when ${pins.link} like '%?utm\\_%' and ${pins.link} not like '%?%?%'
  and ${pins.link} not like '%#%' and replace(${pins.link}, '&utm_', '') not like '%&%'
  then split_part(${pins.link}, '?', 1) else ${pins.link} end`;

/** What pins are grouped by, as the database has it: what people typed is brought together afterwards. */
const keyOf = (by: Dimension, timeZone: string, now: Date): SQL => {
  const keys: Record<Dimension, () => SQL> = {
    keyword: () => sql`${pins.keyword}`,
    board: () => sql`${pins.boardId}`,
    weekday: () => sql`extract(isodow from ${publishedIn(timeZone, now)})::text`,
    hour: () => sql`extract(hour from ${publishedIn(timeZone, now)})::text`,
    style: () => sql`${pins.source}`,
    template: () => sql`${pins.template} ->> 'id'`,
    link: () => untagged,
  };
  return keys[by]();
};

/** Pins with the same raw key, and what they did. */
export interface RawGroup {
  key: string | null;
  pins: number;
  countedPins: number;
  sums: Sums;
}

/** How many pins of an account are out, and what is known of how many. */
export interface Coverage {
  published: number;
  counted: number;
  gone: number;
  refused: number;
  oldestAt: Date | null;
  newestAt: Date | null;
}

/** Whose published pins, over which days, by what. */
interface Asked {
  accountId: OwnedAccountId;
  range: DayRange;
  by: Dimension;
  timeZone: string;
}

/** What is gone has no figures that could be too old. */
const isGone = eq(pinFigures.state, "gone");

/** Each published pin of an account with what it did: numbers, so that no lists of days are sorted with them. */
const findSeen = (ctx: Ctx, { accountId, range, by, timeZone }: Asked) =>
  ctx.db
    .select({
      key: sql`${keyOf(by, timeZone, ctx.now())}`.as("key"),
      state: pinFigures.state,
      fetchedAt: pinFigures.fetchedAt,
      impressions: growthOf(sql`${pinFigures.impressions}`, range).as("impressions"),
      pinClicks: growthOf(sql`${pinFigures.pinClicks}`, range).as("pin_clicks"),
      outboundClicks: growthOf(sql`${pinFigures.outboundClicks}`, range).as("outbound_clicks"),
      saves: growthOf(sql`${pinFigures.saves}`, range).as("saves"),
    })
    .from(pins)
    .leftJoin(
      pinFigures,
      and(eq(pinFigures.pinId, pins.id), eq(pinFigures.accountId, accountId), or(isFresh(ctx), isGone)),
    )
    .where(and(eq(pins.accountId, accountId), eq(pins.status, "published")));

const totalOf = (column: string): SQL => sql`coalesce(sum(${sql.identifier(column)}), 0)::float8`;

const countState = (state: (typeof pinFigures.$inferSelect)["state"]): SQL =>
  sql`count(*) filter (where state = ${state})::int`;

/** In milliseconds since 1970, of all pins together: of a group nobody asks it. */
const ageOf = (which: "min" | "max"): SQL => sql`case when grouping(key) = 1 then
  (extract(epoch from ${sql.raw(which)}(fetched_at) filter (where state = 'ready')) * 1000)::float8 end`;

type GroupRow = Pick<RawGroup, "key" | "pins" | "countedPins"> &
  Pick<Sums, keyof Sums> & {
    isAll: boolean;
    gone: number;
    refused: number;
    oldestMs: number | null;
    newestMs: number | null;
  };

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/**
 * The published pins of an account by one thing, and how much is known of them. One query, whose thousands of rows are
 * taken as they come: the query builder needs as long to look at them as the database to find them.
 */
export const findGroups = async (ctx: Ctx, asked: Asked): Promise<{ groups: RawGroup[]; coverage: Coverage }> => {
  // The offset keeps the planner from carrying each pin's lists through the grouping, which then spills to disk.
  const rows = await ctx.db.execute<GroupRow>(sql`
    select grouping(key) = 1 as "isAll", key, count(*)::int as pins, ${countState("ready")} as "countedPins",
      ${totalOf("impressions")} as impressions, ${totalOf("pin_clicks")} as "pinClicks",
      ${totalOf("outbound_clicks")} as "outboundClicks", ${totalOf("saves")} as saves,
      ${countState("gone")} as gone, ${countState("refused")} as refused,
      ${ageOf("min")} as "oldestMs", ${ageOf("max")} as "newestMs"
    from (${findSeen(ctx, asked)} offset 0) as seen group by grouping sets ((key), ())`);
  const groups: RawGroup[] = [];
  const coverage: Coverage = { published: 0, counted: 0, gone: 0, refused: 0, oldestAt: null, newestAt: null };
  for (const { isAll, key, pins: published, countedPins: counted, gone, refused, ...row } of rows) {
    const { impressions, pinClicks, outboundClicks, saves, oldestMs, newestMs } = row;
    const sums = { impressions, pinClicks, outboundClicks, saves };
    if (!isAll) groups.push({ key, pins: published, countedPins: counted, sums });
    else {
      const ages = { oldestAt: dateOf(oldestMs), newestAt: dateOf(newestMs) };
      Object.assign(coverage, { published, counted, gone, refused, ...ages });
    }
  }
  return { groups, coverage };
};
