import "server-only";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { pinFigures } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { type OffsetStep, offsetSteps } from "#lib/core/zoned-time.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import { type Dimension, PLACED_MS, WORDS } from "./constants.ts";
import {
  addSums,
  checkRange,
  type DayRange,
  dayOf,
  type Group,
  type JudgedGroup,
  NOTHING,
  rank,
  type Sums,
} from "./policy.ts";
import { findGather, findTimeZone, growthOf, isFresh } from "./queries.ts";
import type { ReportInput } from "./schema.ts";

/** What an account's published pins did, by what they were made of. */
export interface Report {
  input: ReportInput;
  /** The best first, the undecided last. */
  groups: JudgedGroup[];
  totals: Sums;
  coverage: Coverage;
  /** Whether Pinterest can be asked for figures at all. */
  isConnected: boolean;
  gather: Awaited<ReturnType<typeof findGather>>;
}

/**
 * What the published pins of one of the actor's accounts did in some days, by one of `DIMENSIONS`, from the figures
 * that are kept (A-83, D8); Pinterest is not asked. Weekdays and hours are those of the user's own zone.
 * @throws AppError `not_found` for an account that is not the actor's, `invalid` for days that Pinterest does not tell of.
 */
export const readReport = async (ctx: Ctx, input: ReportInput): Promise<Report> => {
  const { firstDay, lastDay, by } = input;
  const [account, timeZone] = await Promise.all([requireOwnedAccount(ctx, input.accountId), findTimeZone(ctx)]);
  checkRange(input, ctx.now());
  const asked = { accountId: account.id, range: { firstDay, lastDay }, by, timeZone };
  const [{ groups, coverage }, gather] = await Promise.all([findGroups(ctx, asked), findGather(ctx, account.id)]);
  const ranked = rank(nameGroups(by, groups));
  const totals = ranked.reduce((sum, { sums }) => addSums(sum, sums), NOTHING);
  return { input, groups: ranked, totals, coverage, gather, isConnected: account.status === "connected" };
};

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
interface RawGroup {
  key: string | null;
  pins: number;
  countedPins: number;
  sums: Sums;
}

/** How many pins of an account are out, and what is known of how many. */
interface Coverage {
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
const findGroups = async (ctx: Ctx, asked: Asked): Promise<{ groups: RawGroup[]; coverage: Coverage }> => {
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

/** A keyword however it was typed: trimmed, one space where there were several, small letters. */
const plainKeyword = (keyword: string): string => keyword.trim().replace(/\s+/g, " ").toLowerCase();

/** A link without what only tells where a visitor came from: scheme, `utm_` tags, fragment, and the slash at its end. */
const plainLink = (link: string): string => {
  if (!URL.canParse(link)) return link.trim();
  const url = new URL(link);
  // Only where there are some: to delete one writes the others anew, and to look for them reads them all.
  const tags = url.search === "" ? [] : [...url.searchParams.keys()].filter((name) => /^utm_/i.test(name));
  for (const tag of tags) url.searchParams.delete(tag);
  return `${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}`;
};

const nameKeyOf = (by: Dimension, raw: string | null): string => {
  if (raw === null) return "";
  if (by === "keyword") return plainKeyword(raw);
  return by === "link" ? plainLink(raw) : raw;
};

const isTemplate = (id: string): id is keyof typeof TEMPLATES => Object.hasOwn(TEMPLATES, id);

/** A group's name for people. `spelled`: as most of its pins have it. Null where its reader must look it up. */
const labelOf = (by: Dimension, key: string, spelled: string): string | null => {
  if (key === "") return WORDS.nothing[by];
  switch (by) {
    case "board":
      return null;
    case "keyword":
      return spelled.trim().replace(/\s+/g, " ");
    case "link":
      return key;
    case "weekday":
      return WORDS.weekdays[Number(key) - 1] ?? key;
    case "hour":
      return `${key.padStart(2, "0")}:00`;
    case "style":
      return key === "ai" || key === "manual" ? WORDS.styles[key] : key;
    case "template":
      return isTemplate(key) ? TEMPLATES[key].label : key;
    default:
      return unreachable(by);
  }
};

/** What differs only in how it was typed, brought together and named as most of its pins have it. */
export const nameGroups = (by: Dimension, raw: readonly RawGroup[]): Group[] => {
  const byKey = Map.groupBy(raw, ({ key }) => nameKeyOf(by, key));
  return [...byKey].map(([key, own]) => {
    const most = own.reduce((a, b) =>
      b.pins > a.pins || (b.pins === a.pins && (b.key ?? "") < (a.key ?? "")) ? b : a,
    );
    return {
      ...{ key, label: labelOf(by, key, most.key ?? "") },
      pins: own.reduce((sum, { pins }) => sum + pins, 0),
      countedPins: own.reduce((sum, { countedPins }) => sum + countedPins, 0),
      sums: own.reduce((sum, { sums }) => addSums(sum, sums), NOTHING),
    };
  });
};
