import "server-only";
import { and, asc, desc, eq, isNull, notExists, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinMetrics, weeklyEmails } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { AccountId, EmailId, UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { unsubscribeOffer } from "#lib/features/email/rendering.ts";
import type { WeeklySummary } from "#lib/features/email/schema.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { countProposals } from "#lib/features/sites/proposals.ts";
import {
  WEEKLY_BATCH,
  WEEKLY_HOURS,
  WEEKLY_IMPRESSIONS_MIN,
  WEEKLY_KEYWORD_DAYS,
  WEEKLY_STALE_DAYS,
} from "./constants.ts";
import {
  addSums,
  type DayRange,
  lastFinalDay,
  NO_SUMS,
  rank,
  shiftDay,
  standingOf,
  weeklyEmailDayIn,
} from "./policy.ts";
import { growthOf, isFresh, isRetryable, sumOf, sumsIn, userTimeZone } from "./queries.ts";
import { nameGroups } from "./report.ts";
import { findUnfinished, startSync } from "./sync-queue.ts";

/** Leaves out accounts that Pinterest refuses: each retry would cost a dozen calls and end the same way. */
const retrySyncs = async (ctx: Ctx<"jobs">, now: Date): Promise<number> => {
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.sync, end: WEEKLY_HOURS.sendUnfinished });
  let started = 0;
  if (!due) return started;
  for await (const { accountIds } of findRecipients(ctx, due, {
    done: weeklyEmails.sentWeek,
    only: isRetryable(ctx),
  })) {
    for (const accountId of accountIds) {
      const { isRequested } = await startSync(ctx, accountId);
      if (isRequested) started += 1;
    }
  }
  return started;
};

/** Early on Monday in the user's time zone, ready for the 8 AM email; again on Tuesday for users who got none. */
export const requestWeeklySyncs = async (ctx: Ctx<"jobs">): Promise<{ requested: number; retried: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.sync, end: WEEKLY_HOURS.end });
  let requested = 0;
  if (!due) return { requested, retried: 0 };
  for await (const { userId, accountIds } of findRecipients(ctx, due, { done: weeklyEmails.requestedWeek })) {
    for (const accountId of accountIds) await startSync(ctx, accountId);
    await ctx.db
      .insert(weeklyEmails)
      .values({ userId, requestedWeek: due.week })
      .onConflictDoUpdate({ target: weeklyEmails.userId, set: { requestedWeek: sql`excluded.requested_week` } });
    requested += 1;
  }
  const retried = await retrySyncs(ctx, now);
  ctx.log.set({ weekly_requested: requested, weekly_retried: retried });
  return { requested, retried };
};

interface DueZones {
  week: string;
  zones: string[];
}

/** Where it is Monday or Tuesday within these hours; null when there are none, or metrics are not stored. */
const findDueZones = async (
  ctx: Ctx,
  now: Date,
  { from, end }: { from: number; end: number },
): Promise<DueZones | null> => {
  if (ctx.settings.analyticsCacheHours === 0) return null;
  const rows = await ctx.db
    .selectDistinct({ zone: userTimeZone })
    .from(users)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.userId, users.id))
    .where(and(isNull(users.closedAt), eq(pinterestAccounts.status, "connected")));
  const due = rows.flatMap(({ zone }) => {
    const day = weeklyEmailDayIn(zone, now);
    return day && day.hour >= from && day.hour < end ? [{ zone, week: day.week }] : [];
  });
  const [first] = due;
  return first ? { week: first.week, zones: due.map(({ zone }) => zone) } : null;
};

interface WeeklyRecipient {
  userId: UserId;
  accountIds: AccountId[];
}

/** `done`: the column that must not be set for this week. `only`: an extra condition on the accounts. */
interface RecipientFilter {
  done: typeof weeklyEmails.requestedWeek | typeof weeklyEmails.sentWeek;
  only?: SQL | undefined;
  /** Also users who published nothing but have new pages. */
  withNewPages?: boolean;
}

const hasNewPages = sql`exists (select 1 from page_proposals where page_proposals.user_id = ${users.id})`;

const findPage = async (
  ctx: Ctx,
  { week, zones }: DueZones,
  { done, after, only, withNewPages }: RecipientFilter & { after: string },
): Promise<WeeklyRecipient[]> => {
  const isDone: SQL = sql`${done} >= ${week}::date`;
  const handled = ctx.db
    .select({ one: sql`1` })
    .from(weeklyEmails)
    .where(and(eq(weeklyEmails.userId, users.id), isDone));
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
        isAnyOf(userTimeZone, zones),
        sql`not 'weekly_results' = any(${users.mutedEmails})`,
        eq(pinterestAccounts.status, "connected"),
        withNewPages ? or(isOut, hasNewPages) : isOut,
        only,
        notExists(handled),
      ),
    )
    .groupBy(users.id)
    .orderBy(asc(users.id))
    .limit(WEEKLY_BATCH);
  return rows.map(({ userId, accountIds }) => ({ userId: userId, accountIds: accountIds as AccountId[] }));
};

async function* findRecipients(ctx: Ctx, due: DueZones, filter: RecipientFilter): AsyncGenerator<WeeklyRecipient> {
  let after = "";
  for (;;) {
    const recipients = await findPage(ctx, due, { ...filter, after });
    for (const recipient of recipients) {
      if (ctx.stopping.aborted) return;
      yield recipient;
    }
    after = recipients.at(-1)?.userId ?? "";
    if (recipients.length < WEEKLY_BATCH) return;
  }
}

const WEEK_DAYS = 7;

const ofUser = (userId: UserId): SQL | undefined =>
  and(eq(pinterestAccounts.userId, userId), eq(pinterestAccounts.status, "connected"), eq(pins.status, "published"));

const findState = async (ctx: Ctx, userId: UserId) => {
  const [row] = await ctx.db
    .select({
      lastDay: sql<string | null>`mode() within group (order by ${pinMetrics.readyThrough})::text`,
      published: sql<number>`count(*)::int`,
      counted: sql<number>`count(*) filter (where ${pinMetrics.state} = 'ready')::int`,
    })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .leftJoin(pinMetrics, and(eq(pinMetrics.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId));
  return row ?? { lastDay: null, published: 0, counted: 0 };
};

const findSums = async (ctx: Ctx, userId: UserId, week: DayRange): Promise<{ now: number; before: number }> => {
  const earlier = { firstDay: shiftDay(week.firstDay, -WEEK_DAYS), lastDay: shiftDay(week.firstDay, -1) };
  const seen = sql`${pinMetrics.impressions}`;
  const [row] = await ctx.db
    .select({ now: sumOf(seen, week), before: sumOf(seen, earlier) })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinMetrics, and(eq(pinMetrics.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId));
  return row ?? { now: 0, before: 0 };
};

/** The best keyword over all accounts; null when none has enough impressions, or any clicks. */
const findKeyword = async (ctx: Ctx, userId: UserId, lastDay: string): Promise<WeeklySummary["keyword"]> => {
  const range = { firstDay: shiftDay(lastDay, 1 - WEEKLY_KEYWORD_DAYS), lastDay };
  const rows = await ctx.db
    .select({ key: pins.keyword, pins: sql<number>`count(*)::int`, ...sumsIn(range) })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinMetrics, and(eq(pinMetrics.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId))
    .groupBy(pins.keyword);
  const raw = rows.map(({ key, pins: count, ...sums }) => ({ key, pins: count, countedPins: count, sums }));
  const ranked = rank(nameGroups("keyword", raw));
  const evaluated = ranked.filter(({ isUndecided }) => !isUndecided);
  const named = evaluated.filter(({ key }) => key !== "");
  const [best] = named;
  if (!best?.click || best.click.low === 0) return null;
  const all = ranked.reduce((sum, { sums }) => addSums(sum, sums), NO_SUMS);
  const { isSure, level } = standingOf(
    named.map(({ sums }) => sums),
    all,
    evaluated.length,
  );
  return { label: best.label ?? best.key, days: WEEKLY_KEYWORD_DAYS, ...best.click, isSure, level };
};

const findPin = async (ctx: Ctx, userId: UserId, week: DayRange): Promise<WeeklySummary["pin"]> => {
  const [impressions, outboundClicks] = [
    growthOf(sql`${pinMetrics.impressions}`, week),
    growthOf(sql`${pinMetrics.outboundClicks}`, week),
  ];
  const [best] = await ctx.db
    .select({
      title: pins.title,
      impressions: sql<number>`${impressions}`,
      outboundClicks: sql<number>`${outboundClicks}`,
    })
    .from(pinterestAccounts)
    .innerJoin(pins, eq(pins.accountId, pinterestAccounts.id))
    .innerJoin(pinMetrics, and(eq(pinMetrics.pinId, pins.id), isFresh(ctx)))
    .where(ofUser(userId))
    .orderBy(desc(outboundClicks), desc(impressions), pins.id)
    .limit(1);
  return best && best.impressions > 0 ? best : null;
};

const readWeek = async (ctx: Ctx, userId: UserId): Promise<WeeklySummary | null> => {
  const { lastDay, published, counted } = await findState(ctx, userId);
  if (!lastDay || lastDay < shiftDay(lastFinalDay(ctx.now()), -WEEKLY_STALE_DAYS)) return null;
  const week = { firstDay: shiftDay(lastDay, 1 - WEEK_DAYS), lastDay };
  const sums = await findSums(ctx, userId, week);
  if (sums.now < WEEKLY_IMPRESSIONS_MIN) return null;
  const [keyword, pin] = [await findKeyword(ctx, userId, lastDay), await findPin(ctx, userId, week)];
  return { ...week, impressions: sums.now, impressionsBefore: sums.before, counted, published, keyword, pin };
};

/** Null when already sent, or without results and new pages. The week stays open while a sync is unfinished. */
const queueWeeklyEmail = async (
  tx: Ctx,
  { userId, accountIds }: WeeklyRecipient,
  { week, waits }: { week: string; waits: boolean },
): Promise<EmailId | null> => {
  // The upsert locks the row: a concurrent run waits here and then finds the week marked.
  const [mark] = await tx.db
    .insert(weeklyEmails)
    .values({ userId })
    .onConflictDoUpdate({ target: weeklyEmails.userId, set: { userId } })
    .returning({ sentWeek: weeklyEmails.sentWeek });
  if (mark?.sentWeek && mark.sentWeek >= week) return null;
  const user = await findUser(tx, userId);
  const isWanted = user !== null && !user.mutedEmails.includes("weekly_results");
  const summary = isWanted ? await readWeek(tx, userId) : null;
  // Without results, the same pages aren't worth an email every week.
  const since = addMs(tx.now(), -WEEK_DAYS * DAY_MS);
  const hasNews = isWanted && (summary !== null || (await countProposals(tx, { userId, since })) > 0);
  // Results may still come, and until noon, pages wait for them.
  const isUnfinished = !summary && (await findUnfinished(tx, { accountIds, withRefused: true }));
  if (isUnfinished && (waits || !hasNews)) return null;
  await tx.db.update(weeklyEmails).set({ sentWeek: week }).where(eq(weeklyEmails.userId, userId));
  if (!isWanted || !hasNews) return null;
  const newPages = await countProposals(tx, { userId });
  const unsubscribe = unsubscribeOffer(userId, ["weekly_results"]);
  const content = { kind: "weekly_results" as const, firstName: user.firstName, week: summary, newPages, unsubscribe };
  return queueEmail(tx, { userId, recipient: user.email, content });
};

/** A failure must not stop other users' emails. */
const tryToQueue = async (
  ctx: Ctx,
  recipient: WeeklyRecipient,
  part: { week: string; waits: boolean },
): Promise<EmailId | null> => {
  try {
    return await inTransaction(ctx, (tx) => queueWeeklyEmail(tx, recipient, part));
  } catch (error) {
    ctx.log.set({ weekly_problem: messageOf(error) });
    return null;
  }
};

/** From 8 AM on Monday in the user's time zone, Tuesday for those who got none; until noon it waits for syncs. */
export const sendWeeklyEmails = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.send, end: WEEKLY_HOURS.end });
  const late = due && (await findDueZones(ctx, now, { from: WEEKLY_HOURS.sendUnfinished, end: WEEKLY_HOURS.end }));
  const emailIds: EmailId[] = [];
  for (const part of [late && { ...late, waits: false }, due && { ...due, waits: true }]) {
    if (!part) continue;
    for await (const recipient of findRecipients(ctx, part, { done: weeklyEmails.sentWeek, withNewPages: true })) {
      const { accountIds } = recipient;
      if (part.waits && (await findUnfinished(ctx, { accountIds, withRefused: false }))) continue;
      const emailId = await tryToQueue(ctx, recipient, part);
      if (emailId) emailIds.push(emailId);
    }
  }
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  ctx.log.set({ weekly_sent: emailIds.length });
  return { sent: emailIds.length };
};
