import "server-only";
import { sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, laterOf } from "#lib/core/time.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { OVERDUE_AFTER_MS, OVERDUE_GAP_MAX_MS, QUEUE_GAP_MS, TEXTS } from "./constants.ts";
import type { PublishingAccount } from "./queries.ts";

type OverduePin = Pin & { scheduledAt: Date };

/** The reasons of pins that wait for their turn. */
const WAITING: readonly string[] = [TEXTS.overdue, TEXTS.accountPaused];

/** Refusals that concern the whole account: a pin that got one keeps its place among the overdue ones. */
const ACCOUNT_PROBLEMS = sql.raw("'rate_limited', 'spam_block', 'trial_access', 'token_dead', 'missing_scope'");

/** The overdue pins of an account that wait for their turn, as one of them sees them; others retry on their own. */
interface OverdueQueue {
  hasPin: boolean;
  /** Of the first one, from the pin that was planned before it; a day when there is none within a day. */
  gapMs: number;
  /** How long after the first one this pin was planned, and how many are before it. */
  offsetMs: number;
  ahead: number;
  /** When an overdue pin of the account last went out, if that was within the longest gap. */
  lastSentAt: Date | null;
}

/** `from`: the place in the queue that counts as its first, so that a pin never waits twice for the same pins. */
const readQueue = async (tx: Ctx, pin: OverduePin, from: Date | null): Promise<OverdueQueue> => {
  const [now, at] = [tx.now(), pin.scheduledAt].map((date) => sql`${date.toISOString()}::timestamptz`);
  const late = sql`make_interval(secs => ${OVERDUE_AFTER_MS / 1_000})`;
  const isRetried = sql`exists (select 1 from ${publishAttempts} a where a.pin_id = p.id
    and a.schedule_generation = p.schedule_generation and a.called_at is not null
    and coalesce(a.problem, '') not in (${ACCOUNT_PROBLEMS}))`;
  const isStarted = sql`exists (select 1 from ${publishAttempts} a where a.pin_id = p.id and a.state <> 'settled')`;
  const [row] = await tx.db.execute<Omit<OverdueQueue, "lastSentAt"> & { lastSentMs: number | null }>(sql`
    with queue as (
      select p.id, p.scheduled_at from ${pins} p
      where p.account_id = ${pin.accountId} and p.status = 'scheduled' and p.scheduled_at between ${from?.toISOString() ?? "-infinity"}::timestamptz and ${at}
        and not ${isRetried} and not ${isStarted}
    ), first as (
      select * from queue order by scheduled_at, id limit 1
    ), planned as (
      select max(p.scheduled_at) as at from ${pins} p, first
      where p.account_id = ${pin.accountId} and p.status in ('published', 'scheduled', 'failed')
        and (p.scheduled_at, p.id) < (first.scheduled_at, first.id)
        and p.scheduled_at > first.scheduled_at - make_interval(secs => ${OVERDUE_GAP_MAX_MS / 1_000})
    ), sent as (
      select p.published_at as at from ${pins} p
      where p.account_id = ${pin.accountId} and p.status = 'published'
        and p.published_at > ${now} - make_interval(secs => ${OVERDUE_GAP_MAX_MS / 1_000})
        and p.published_at > p.scheduled_at + ${late}
      union all
      select a.armed_at from ${publishAttempts} a join ${pins} p on p.id = a.pin_id
      where p.account_id = ${pin.accountId} and p.status = 'scheduled' and a.state <> 'settled'
        and p.id <> ${pin.id} and a.armed_at > p.scheduled_at + ${late}
        and (a.state = 'armed' or a.called_at is not null)
    )
    select exists (select 1 from queue where id = ${pin.id}) as "hasPin",
      coalesce((select extract(epoch from first.scheduled_at - planned.at) * 1000 from first, planned), ${OVERDUE_GAP_MAX_MS})::float8
        as "gapMs",
      coalesce((select extract(epoch from ${at} - first.scheduled_at) * 1000 from first), 0)::float8 as "offsetMs",
      (select count(*) from queue where (scheduled_at, id) < (${at}, ${pin.id}))::int as ahead,
      (select extract(epoch from max(at)) * 1000 from sent)::float8 as "lastSentMs"`);
  if (!row) throw new Error("A query of aggregates has one row.");
  return { ...row, lastSentAt: row.lastSentMs === null ? null : new Date(Number(row.lastSentMs)) };
};

/**
 * When an overdue pin may go out: in the order of the schedule and no faster than planned, so that an account that was
 * on hold for days does not send everything at once. Gaps of more than a day count as a day.
 */
const overdueStart = async (tx: Ctx, pin: OverduePin, from: Date): Promise<Date> => {
  // One claim per account at a time, so that two runs cannot both see that nothing was sent.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`overdue:${pin.accountId}`}, 0))`);
  const isPaused = from > tx.now();
  // The scan moves `wakeAt` ahead before it starts a pin.
  const isItsTurn = pin.sweeps > 0 || (pin.wakeAt !== null && pin.wakeAt <= tx.now());
  const hasWaited = !isPaused && isItsTurn && WAITING.includes(pin.reason ?? "");
  const { hasPin, gapMs, offsetMs, ahead, lastSentAt } = await readQueue(tx, pin, hasWaited ? pin.scheduledAt : null);
  if (!hasPin) return from;
  const offset = Math.max(Math.min(offsetMs, ahead * OVERDUE_GAP_MAX_MS), isPaused ? ahead * QUEUE_GAP_MS : 0);
  return addMs(lastSentAt ? laterOf(from, addMs(lastSentAt, gapMs)) : from, offset);
};

/** The earliest time at which a locked, scheduled pin may be sent; in the past or now when that is at once. */
export const earliestStart = async (tx: Ctx, pin: Pin, account: PublishingAccount): Promise<Date> => {
  const now = tx.now();
  const scheduledAt = pin.scheduledAt ?? now;
  if (scheduledAt > now) return scheduledAt;
  if (pin.notBefore && pin.notBefore > now) return pin.notBefore;
  const from = account.pausedUntil ? laterOf(account.pausedUntil, now) : now;
  const isOverdue = from > now || addMs(scheduledAt, OVERDUE_AFTER_MS) < now;
  // A pin that may already be published only checks the board.
  return isOverdue && !pin.mayBePublished ? overdueStart(tx, { ...pin, scheduledAt }, from) : from;
};
