import "server-only";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { WeekTold } from "#lib/features/letters/schema.ts";
import { WEEKLY_IMPRESSIONS_MIN, WEEKLY_KEYWORD_DAYS, WEEKLY_STALE_DAYS } from "./constants.ts";
import { nameGroups } from "./name-groups.ts";
import { addSums, type DayRange, lastFinalDay, NOTHING, rank, shiftDay, standOf } from "./policy.ts";
import { growthOf, isFresh, sumOf, sumsIn } from "./queries.ts";

const WEEK_DAYS = 7;

/** Published pins of a user's connected accounts, with the figures that are here. */
const ofUser = (userId: UserId): SQL | undefined =>
  and(eq(pinterestAccounts.userId, userId), eq(pinterestAccounts.status, "connected"), eq(pins.status, "published"));

/** The last day that is final for most pins, and of how many there are figures. */
const findState = async (ctx: Ctx, userId: UserId) => {
  const [row] = await ctx.db
    .select({
      lastDay: sql<string | null>`mode() within group (order by ${pinFigures.readyThrough})::text`,
      published: sql<number>`count(*)::int`,
      counted: sql<number>`count(*) filter (where ${pinFigures.state} = 'ready')::int`,
    })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .leftJoin(pinFigures, and(eq(pinFigures.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId));
  return row ?? { lastDay: null, published: 0, counted: 0 };
};

const findSums = async (ctx: Ctx, userId: UserId, week: DayRange): Promise<{ now: number; before: number }> => {
  const earlier = { firstDay: shiftDay(week.firstDay, -WEEK_DAYS), lastDay: shiftDay(week.firstDay, -1) };
  const seen = sql`${pinFigures.impressions}`;
  const [row] = await ctx.db
    .select({ now: sumOf(seen, week), before: sumOf(seen, earlier) })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinFigures, and(eq(pinFigures.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId));
  return row ?? { now: 0, before: 0 };
};

/** The keyword that stands first in the report of all accounts together; null where none is decided, or was clicked. */
const findKeyword = async (ctx: Ctx, userId: UserId, lastDay: string): Promise<WeekTold["keyword"]> => {
  const range = { firstDay: shiftDay(lastDay, 1 - WEEKLY_KEYWORD_DAYS), lastDay };
  const rows = await ctx.db
    .select({ key: pins.keyword, pins: sql<number>`count(*)::int`, ...sumsIn(range) })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinFigures, and(eq(pinFigures.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId))
    .groupBy(pins.keyword);
  const raw = rows.map(({ key, pins: count, ...sums }) => ({ key, pins: count, countedPins: count, sums }));
  const ranked = rank(nameGroups("keyword", raw));
  const judged = ranked.filter(({ isUndecided }) => !isUndecided);
  const named = judged.filter(({ key }) => key !== "");
  const [best] = named;
  if (!best?.click || best.click.low === 0) return null;
  const all = ranked.reduce((sum, { sums }) => addSums(sum, sums), NOTHING);
  const { isSure, level } = standOf(
    named.map(({ sums }) => sums),
    all,
    judged.length,
  );
  return { label: best.label ?? best.key, days: WEEKLY_KEYWORD_DAYS, ...best.click, isSure, level };
};

const findPin = async (ctx: Ctx, userId: UserId, week: DayRange): Promise<WeekTold["pin"]> => {
  const [impressions, outboundClicks] = [
    growthOf(sql`${pinFigures.impressions}`, week),
    growthOf(sql`${pinFigures.outboundClicks}`, week),
  ];
  const [best] = await ctx.db
    .select({
      title: pins.title,
      impressions: sql<number>`${impressions}`,
      outboundClicks: sql<number>`${outboundClicks}`,
    })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinFigures, and(eq(pinFigures.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId))
    .orderBy(desc(outboundClicks), desc(impressions), pins.id)
    .limit(1);
  return best && best.impressions > 0 ? best : null;
};

/**
 * What a user's published pins did in the last seven final days, from the figures that are kept (A-83, D8). Null where
 * there is nothing to tell: no figures, old ones, or pins that were hardly seen. The caller is a job.
 */
export const readWeek = async (ctx: Ctx, userId: UserId): Promise<WeekTold | null> => {
  const { lastDay, published, counted } = await findState(ctx, userId);
  if (!lastDay || lastDay < shiftDay(lastFinalDay(ctx.now()), -WEEKLY_STALE_DAYS)) return null;
  const week = { firstDay: shiftDay(lastDay, 1 - WEEK_DAYS), lastDay };
  const sums = await findSums(ctx, userId, week);
  if (sums.now < WEEKLY_IMPRESSIONS_MIN) return null;
  const [keyword, pin] = [await findKeyword(ctx, userId, lastDay), await findPin(ctx, userId, week)];
  return { ...week, impressions: sums.now, impressionsBefore: sums.before, counted, published, keyword, pin };
};
