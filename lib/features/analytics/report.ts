import "server-only";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { type OffsetStep, offsetSteps } from "#lib/core/zoned-time.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import { type Dimension, LABELS, OFFSET_HISTORY_MS } from "./constants.ts";
import {
  addSums,
  checkRange,
  type DayRange,
  dayOf,
  type EvaluatedGroup,
  type Group,
  NO_SUMS,
  plainKeyword,
  rank,
  type Sums,
} from "./policy.ts";
import { findSync, findTimeZone, growthOf, isFresh } from "./queries.ts";
import type { ReportInput } from "./schema.ts";

export interface Report {
  input: ReportInput;
  groups: EvaluatedGroup[];
  totals: Sums;
  coverage: Coverage;
  isConnected: boolean;
  sync: Awaited<ReturnType<typeof findSync>>;
}

/**
 * Hours and weekdays are those of `zone`, by default the user's.
 * @throws AppError `not_found` when the account is not the user's, `invalid` for days outside Pinterest's history
 */
export const readReport = async (ctx: Ctx, input: ReportInput, zone?: string): Promise<Report> => {
  const { firstDay, lastDay, by } = input;
  const [account, timeZone] = await Promise.all([requireOwnedAccount(ctx, input.accountId), zone ?? findTimeZone(ctx)]);
  checkRange(input, ctx.now());
  const query = { accountId: account.id, range: { firstDay, lastDay }, by, timeZone };
  const [{ groups, coverage }, sync] = await Promise.all([findGroups(ctx, query), findSync(ctx, account.id)]);
  const ranked = rank(nameGroups(by, groups));
  const totals = ranked.reduce((sum, { sums }) => addSums(sum, sums), NO_SUMS);
  return { input, groups: ranked, totals, coverage, sync, isConnected: account.status === "connected" };
};

const STEP_CACHE_MAX = 200;
const cachedSteps = new Map<string, OffsetStep[]>();

/** A zone's offset changes of the last years, cached for a day because computing them is slow. */
const stepsOf = (timeZone: string, now: Date): OffsetStep[] => {
  const key = `${dayOf(now)} ${timeZone}`;
  const steps = cachedSteps.get(key) ?? offsetSteps(timeZone, addMs(now, -OFFSET_HISTORY_MS), addMs(now, DAY_MS));
  if (cachedSteps.size >= STEP_CACHE_MAX) cachedSteps.clear();
  cachedSteps.set(key, steps);
  return steps;
};

/** The local publish time of a pin. Before the known history its oldest offset applies. */
const publishedLocalTime = (timeZone: string, now: Date): SQL => {
  const steps = stepsOf(timeZone, now);
  const listOf = (values: readonly (string | number)[]) => `{${values.join()}}`;
  const since = listOf(steps.slice(1).map((step) => step.since.toISOString()));
  const minutes = listOf(steps.map(({ offsetMs }) => offsetMs / MINUTE_MS));
  // Subselects, so that PostgreSQL parses the arrays once and not for each pin.
  const place = sql`width_bucket(${pins.publishedAt}, (select ${since}::text::timestamptz[])) + 1`;
  const offset = sql`(select ${minutes}::text::int[])[${place}]`;
  return sql`(${pins.publishedAt} at time zone 'UTC' + make_interval(mins => ${offset}))`;
};

/** Strips a query of `utm_` parameters only, so that the database merges most links; `nameGroups` handles the rest. */
const untagged: SQL = sql`case when ${pins.link} like '%?utm\\_%' and ${pins.link} not like '%?%?%'
  and ${pins.link} not like '%#%' and replace(${pins.link}, '&utm_', '') not like '%&%'
  then split_part(${pins.link}, '?', 1) else ${pins.link} end`;

const keyOf = (by: Dimension, timeZone: string, now: Date): SQL => {
  const keys: Record<Dimension, () => SQL> = {
    keyword: () => sql`${pins.keyword}`,
    board: () => sql`${pins.boardId}`,
    weekday: () => sql`extract(isodow from ${publishedLocalTime(timeZone, now)})::text`,
    hour: () => sql`extract(hour from ${publishedLocalTime(timeZone, now)})::text`,
    style: () => sql`${pins.source}`,
    template: () => sql`${pins.template} ->> 'id'`,
    link: () => untagged,
  };
  return keys[by]();
};

interface RawGroup {
  key: string | null;
  pins: number;
  countedPins: number;
  sums: Sums;
}

interface Coverage {
  published: number;
  counted: number;
  gone: number;
  refused: number;
  oldestAt: Date | null;
  newestAt: Date | null;
}

interface ReportQuery {
  accountId: OwnedAccountId;
  range: DayRange;
  by: Dimension;
  timeZone: string;
}

/** Deleted pins have no metrics that could expire. */
const isGone = eq(pinMetrics.state, "gone");

const selectPins = (ctx: Ctx, { accountId, range, by, timeZone }: ReportQuery) =>
  ctx.db
    .select({
      key: sql`${keyOf(by, timeZone, ctx.now())}`.as("key"),
      state: pinMetrics.state,
      fetchedAt: pinMetrics.fetchedAt,
      impressions: growthOf(sql`${pinMetrics.impressions}`, range).as("impressions"),
      pinClicks: growthOf(sql`${pinMetrics.pinClicks}`, range).as("pin_clicks"),
      outboundClicks: growthOf(sql`${pinMetrics.outboundClicks}`, range).as("outbound_clicks"),
      saves: growthOf(sql`${pinMetrics.saves}`, range).as("saves"),
    })
    .from(pins)
    .leftJoin(
      pinMetrics,
      and(eq(pinMetrics.pinId, pins.id), eq(pinMetrics.accountId, accountId), or(isFresh(ctx), isGone)),
    )
    .where(and(eq(pins.accountId, accountId), eq(pins.status, "published")));

const totalOf = (column: string): SQL => sql`coalesce(sum(${sql.identifier(column)}), 0)::float8`;

const countState = (state: (typeof pinMetrics.$inferSelect)["state"]): SQL =>
  sql`count(*) filter (where state = ${state})::int`;

const fetchTimeOf = (which: "min" | "max"): SQL => sql`case when grouping(key) = 1 then
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

/** Raw SQL, because the query builder is slow at mapping thousands of rows. */
const findGroups = async (ctx: Ctx, query: ReportQuery): Promise<{ groups: RawGroup[]; coverage: Coverage }> => {
  // `offset 0` keeps the planner from carrying each pin's arrays through the grouping, which then spills to disk.
  const rows = await ctx.db.execute<GroupRow>(sql`
    select grouping(key) = 1 as "isAll", key, count(*)::int as pins, ${countState("ready")} as "countedPins",
      ${totalOf("impressions")} as impressions, ${totalOf("pin_clicks")} as "pinClicks",
      ${totalOf("outbound_clicks")} as "outboundClicks", ${totalOf("saves")} as saves,
      ${countState("gone")} as gone, ${countState("refused")} as refused,
      ${fetchTimeOf("min")} as "oldestMs", ${fetchTimeOf("max")} as "newestMs"
    from (${selectPins(ctx, query)} offset 0) as seen group by grouping sets ((key), ())`);
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

/** Without protocol, campaign tags, and the last slash: links that lead to the same page. */
const plainLink = (link: string): string => {
  if (!URL.canParse(link)) return link.trim();
  const url = new URL(link);
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

/** A group's display name; null for boards, which the client looks up. `spelling`: the most frequent raw key. */
const labelOf = (by: Dimension, key: string, spelling: string): string | null => {
  if (key === "") return LABELS.nothing[by];
  switch (by) {
    case "board":
      return null;
    case "keyword":
      return spelling.trim().replace(/\s+/g, " ");
    case "link":
      return key;
    case "weekday":
      return LABELS.weekdays[Number(key) - 1] ?? key;
    case "hour":
      return `${key.padStart(2, "0")}:00`;
    case "style":
      return key === "ai" || key === "manual" ? LABELS.styles[key] : key;
    case "template":
      return isTemplate(key) ? TEMPLATES[key].label : key;
    default:
      return unreachable(by);
  }
};

/** Merges groups that differ only in spelling, and labels each with the spelling of most of its pins. */
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
      sums: own.reduce((sum, { sums }) => addSums(sum, sums), NO_SUMS),
    };
  });
};
