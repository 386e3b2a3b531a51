import "server-only";
import { and, asc, desc, eq, inArray, isNull, notExists, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures, weeklyMails } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { AccountId, LetterId, UserId } from "#lib/core/ids.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { offerUnsubscribe } from "#lib/features/email/rendering.ts";
import type { WeekTold } from "#lib/features/email/schema.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import {
  WEEKLY_BATCH,
  WEEKLY_HOURS,
  WEEKLY_IMPRESSIONS_MIN,
  WEEKLY_KEYWORD_DAYS,
  WEEKLY_STALE_DAYS,
} from "./constants.ts";
import { beginGather, findUnfinished } from "./gathering-queue.ts";
import { addSums, type DayRange, lastFinalDay, NOTHING, rank, shiftDay, standOf, tellingDayIn } from "./policy.ts";
import { growthOf, isAskable, isFresh, sumOf, sumsIn, zoneOf } from "./queries.ts";
import { nameGroups } from "./report.ts";

/**
 * Until the mail waits for figures no longer, those are asked for again that a bad quarter of an hour left out. What
 * Pinterest refused is left to people: each further run would cost up to a dozen calls and end the same.
 */
const askAgain = async (ctx: Ctx<"jobs">, now: Date): Promise<number> => {
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.ask, end: WEEKLY_HOURS.tellUnfinished });
  let begun = 0;
  if (!due) return begun;
  for await (const { accountIds } of findReaders(ctx, due, { done: weeklyMails.toldWeek, only: isAskable(ctx) })) {
    for (const accountId of accountIds) {
      const { isAsked } = await beginGather(ctx, accountId);
      if (isAsked) begun += 1;
    }
  }
  return begun;
};

/**
 * Has figures fetched for those who are told of their week, early on Monday by their own clock, so that they are here at
 * eight (A-83), and on Tuesday for those who were not told; what could not be fetched, and was not refused, is asked for
 * again with each run. The mark is set last: whoever dies before it asks again, which begins no second run. @returns how
 * many users' accounts were asked for, and how many accounts again.
 */
export const askWeeks = async (ctx: Ctx<"jobs">): Promise<{ asked: number; again: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.ask, end: WEEKLY_HOURS.end });
  let asked = 0;
  if (!due) return { asked, again: 0 };
  for await (const { userId, accountIds } of findReaders(ctx, due, { done: weeklyMails.askedWeek })) {
    for (const accountId of accountIds) await beginGather(ctx, accountId);
    await ctx.db
      .insert(weeklyMails)
      .values({ userId, askedWeek: due.week })
      .onConflictDoUpdate({ target: weeklyMails.userId, set: { askedWeek: sql`excluded.asked_week` } });
    asked += 1;
  }
  const again = await askAgain(ctx, now);
  ctx.log.set({ weekly_asked: asked, weekly_again: again });
  return { asked, again };
};

/** Zones in which it is Monday or Tuesday now, at some hours from `from` on and before `end`, and the week's Monday. */
interface DueZones {
  week: string;
  zones: string[];
}

/**
 * Where it is time for something at the beginning of a week; null where it is nowhere, and where no figures are kept at
 * all. No two weeks begin at once: clocks differ by little more than a day.
 */
const findDueZones = async (
  ctx: Ctx,
  now: Date,
  { from, end }: { from: number; end: number },
): Promise<DueZones | null> => {
  if (ctx.settings.analyticsCacheHours === 0) return null;
  const rows = await ctx.db
    .selectDistinct({ zone: zoneOf })
    .from(users)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.userId, users.id))
    .where(and(isNull(users.closedAt), eq(pinterestAccounts.status, "connected")));
  const due = rows.flatMap(({ zone }) => {
    const day = tellingDayIn(zone, now);
    return day && day.hour >= from && day.hour < end ? [{ zone, week: day.week }] : [];
  });
  const [first] = due;
  return first ? { week: first.week, zones: due.map(({ zone }) => zone) } : null;
};

/** A user who is told of their week, with the accounts whose pins are out. */
interface WeeklyReader {
  userId: UserId;
  accountIds: AccountId[];
}

/** `done`: which of the marks they lack for this week. `only`: which of their accounts, as a condition on these. */
interface Wanted {
  done: typeof weeklyMails.askedWeek | typeof weeklyMails.toldWeek;
  only?: SQL | undefined;
}

/** Some of them, by their ids from `after` on. */
const findPage = async (
  ctx: Ctx,
  { week, zones }: DueZones,
  { done, after, only }: Wanted & { after: string },
): Promise<WeeklyReader[]> => {
  const isDone: SQL = sql`${done} >= ${week}::date`;
  const handled = ctx.db
    .select({ one: sql`1` })
    .from(weeklyMails)
    .where(and(eq(weeklyMails.userId, users.id), isDone));
  const isOut = sql`exists (select 1 from ${pins} where ${pins.accountId} = ${pinterestAccounts.id}
    and ${pins.status} = 'published')`;
  const rows = await ctx.db
    .select({ userId: users.id, accountIds: sql<string[]>`json_agg(${pinterestAccounts.id})` })
    .from(users)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.userId, users.id))
    .where(
      and(
        sql`${users.id} > ${after}`,
        isNull(users.closedAt),
        inArray(zoneOf, zones),
        sql`not 'weekly_results' = any(${users.mutedMails})`,
        eq(pinterestAccounts.status, "connected"),
        isOut,
        only,
        notExists(handled),
      ),
    )
    .groupBy(users.id)
    .orderBy(asc(users.id))
    .limit(WEEKLY_BATCH);
  // Rows of these tables hold ids that `createId` made.
  return rows.map(({ userId, accountIds }) => ({ userId: userId, accountIds: accountIds as AccountId[] }));
};

/**
 * Readers of the weekly mail who were not asked for, or told, this week yet, one after the other until this process is
 * told to end. Those who switched it off are none.
 */
async function* findReaders(ctx: Ctx, due: DueZones, wanted: Wanted): AsyncGenerator<WeeklyReader> {
  let after = "";
  for (;;) {
    const readers = await findPage(ctx, due, { ...wanted, after });
    for (const reader of readers) {
      if (ctx.stopping.aborted) return;
      yield reader;
    }
    after = readers.at(-1)?.userId ?? "";
    if (readers.length < WEEKLY_BATCH) return;
  }
}

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
const readWeek = async (ctx: Ctx, userId: UserId): Promise<WeekTold | null> => {
  const { lastDay, published, counted } = await findState(ctx, userId);
  if (!lastDay || lastDay < shiftDay(lastFinalDay(ctx.now()), -WEEKLY_STALE_DAYS)) return null;
  const week = { firstDay: shiftDay(lastDay, 1 - WEEK_DAYS), lastDay };
  const sums = await findSums(ctx, userId, week);
  if (sums.now < WEEKLY_IMPRESSIONS_MIN) return null;
  const [keyword, pin] = [await findKeyword(ctx, userId, lastDay), await findPin(ctx, userId, week)];
  return { ...week, impressions: sums.now, impressionsBefore: sums.before, counted, published, keyword, pin };
};

/**
 * One user's mail and the mark that their week is told, together or not at all. Null: it was told, or is no news. No
 * mark while figures are still awaited that could be some.
 */
const tellUser = async (tx: Ctx, { userId, accountIds }: WeeklyReader, week: string): Promise<LetterId | null> => {
  // One row, one winner: whoever comes second waits for the first, and finds the week told.
  const [mark] = await tx.db
    .insert(weeklyMails)
    .values({ userId })
    .onConflictDoUpdate({ target: weeklyMails.userId, set: { userId } })
    .returning({ toldWeek: weeklyMails.toldWeek });
  if (mark?.toldWeek && mark.toldWeek >= week) return null;
  const user = await findUser(tx, userId);
  const told = user && !user.mutedMails.includes("weekly_results") ? await readWeek(tx, userId) : null;
  if (!told && (await findUnfinished(tx, { accountIds, withRefused: true }))) return null;
  await tx.db.update(weeklyMails).set({ toldWeek: week }).where(eq(weeklyMails.userId, userId));
  if (!user || !told) return null;
  const unsubscribe = offerUnsubscribe(userId, ["weekly_results"]);
  const letter = { kind: "weekly_results" as const, firstName: user.firstName, week: told, unsubscribe };
  return postLetter(tx, { userId, recipient: user.email, letter });
};

/** Of one user whose mail cannot be made the log tells; it is tried again with the next run, and holds up no other. */
const tryToTell = async (ctx: Ctx, reader: WeeklyReader, week: string): Promise<LetterId | null> => {
  try {
    return await inTransaction(ctx, (tx) => tellUser(tx, reader, week));
  } catch (error) {
    ctx.log.set({ weekly_problem: messageOf(error) });
    return null;
  }
};

/**
 * Tells users by mail what their pins did in a week, on Monday from eight o'clock on by their own clock, once
 * for each week whatever runs twice or dies. While figures are being fetched, or are asked for again, they wait until
 * noon; who has none by then is told when there are some. Tuesday is another such day for those who were not told, as
 * after a Monday on which nothing ran. Who has no news, or switched these mails off, gets none. @returns how many mails.
 */
export const tellWeeks = async (ctx: Ctx<"jobs">): Promise<{ posted: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.tell, end: WEEKLY_HOURS.end });
  const late = due && (await findDueZones(ctx, now, { from: WEEKLY_HOURS.tellUnfinished, end: WEEKLY_HOURS.end }));
  const letterIds: LetterId[] = [];
  for (const part of [late && { ...late, waits: false }, due && { ...due, waits: true }]) {
    if (!part) continue;
    for await (const reader of findReaders(ctx, part, { done: weeklyMails.toldWeek })) {
      const { accountIds } = reader;
      if (part.waits && (await findUnfinished(ctx, { accountIds, withRefused: false }))) continue;
      const letterId = await tryToTell(ctx, reader, part.week);
      if (letterId) letterIds.push(letterId);
    }
  }
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  ctx.log.set({ weekly_posted: letterIds.length });
  return { posted: letterIds.length };
};
