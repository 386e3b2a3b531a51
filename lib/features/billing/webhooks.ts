import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { paymentEvents, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PaymentEvent } from "#lib/integrations/payments/port.ts";
import { EVENT_FIRST_MS, EVENT_LONGEST_MS, SWEEP_BATCH } from "./constants.ts";
import { applyEvents } from "./events.ts";
import { eventJobId, toPaymentError } from "./policy.ts";
import { settleUser } from "./settlement.ts";

/** The door waits so long for the durable engine to take an event; the sweep sends what it did not take. */
const HAND_OVER_MS = 300;

/** A webhook as it came: its very bytes, and what its header says of them. */
interface Webhook {
  body: Uint8Array;
  signature: string | null;
}

/** An engine that does not answer at once is not waited for: the event is stored, and the sweep comes by. */
const handOver = async (ctx: Ctx<"jobs">, eventId: string): Promise<void> => {
  const event = { name: "billing/event.received" as const, id: eventJobId(eventId, 0), data: { eventId } };
  const sending = ctx.jobs.send([event]).then(() => null, messageOf);
  const slow = delay(HAND_OVER_MS, "The engine did not answer in time.", { ref: false });
  const problem = await Promise.race([sending, slow]);
  if (problem !== null) ctx.log.set({ engine_problem: problem });
};

/**
 * Takes a webhook of the payment provider in: verified, stored once by its id, and left to a durable function, so that
 * the provider has its answer in milliseconds (BRIEF §5). An event of a type that we do not know is stored as well.
 * @throws AppError `unauthenticated` for one that is not the provider's, `invalid` for one that is no event; nothing is
 * stored then
 */
export const receiveEvent = async (
  ctx: Ctx<"payments" | "jobs">,
  { body, signature }: Webhook,
): Promise<{ kind: "stored" | "known" }> => {
  // This process's clock, which may be a little off: the tolerance is for that.
  if (!ctx.payments.isGenuine({ body, signature, now: ctx.now() })) {
    throw new AppError("unauthenticated", { text: "The signature is missing or does not fit." });
  }
  const event = ctx.payments.readEvent(body);
  if (!event) throw new AppError("invalid", { text: "The body holds no event." });
  ctx.log.set({ payment_event: event.eventType, payment_event_id: event.eventId });
  if (event.unreadable) ctx.log.set({ payment_problem: event.unreadable });
  const { isNew } = await storeEvent(ctx, { event, source: "webhook" });
  if (isNew) await handOver(ctx, event.eventId);
  return { kind: isNew ? "stored" : "known" };
};

/**
 * Writes an event down, once by its id; one that nothing follows from counts as applied. What could not be read before
 * and can be now, is taken anew. `isNew`: it is for somebody to apply.
 */
export const storeEvent = async (
  ctx: Ctx,
  { event, source }: { event: PaymentEvent; source: "webhook" | "collected" },
): Promise<{ isNew: boolean }> => {
  const { eventId, eventType, occurredAt, fact, unreadable } = event;
  const wakeAt = sql`now() + make_interval(secs => ${EVENT_FIRST_MS / SECOND_MS})`;
  const told = { fact, problem: unreadable, appliedAt: fact ? null : sql`now()` };
  const stored = await ctx.db
    .insert(paymentEvents)
    .values({ eventId, eventType, occurredAt, source, ...told, receivedAt: sql`now()`, wakeAt })
    .onConflictDoUpdate({
      target: paymentEvents.eventId,
      set: { ...told, wakeAt },
      setWhere: and(isNull(paymentEvents.fact), isNotNull(paymentEvents.problem), sql`excluded.fact is not null`),
    })
    .returning({ eventId: paymentEvents.eventId });
  return { isNew: stored.length > 0 && fact !== null };
};

/** The newest events of the provider's list are left to the webhooks that are still under way. */
const GRACE_MS = 2 * MINUTE_MS;
/** Events on a page of the list, and pages of one round. */
const PAGE = 200;
const PAGES_MAX = 50;

/** How far the provider's list was read: one event bears the mark. */
const findBookmark = async (ctx: Ctx): Promise<string | null> => {
  const { eventId, listedAt } = paymentEvents;
  const [row] = await ctx.db.select({ eventId }).from(paymentEvents).where(isNotNull(listedAt)).limit(1);
  return row?.eventId ?? null;
};

const moveBookmark = async (ctx: Ctx, to: string): Promise<void> => {
  const { eventId, listedAt } = paymentEvents;
  await ctx.db
    .update(paymentEvents)
    .set({ listedAt: sql`case when ${eventId} = ${to} then now() end` })
    .where(or(isNotNull(listedAt), eq(eventId, to)));
};

/** The next page; from the oldest event on, where the provider keeps the one at the bookmark no longer. */
const readPage = async (ctx: Ctx<"payments">, bookmark: string | null): Promise<PaymentEvent[]> => {
  const answer = await ctx.payments.listEvents(bookmark);
  if (answer.kind === "ok") return answer.value;
  const isGone = bookmark !== null && (answer.problem.kind === "not_found" || answer.problem.kind === "refused");
  if (isGone) return readPage(ctx, null);
  throw toPaymentError(answer.problem);
};

interface Stored {
  missing: number;
  /** Whether each of them could be stored. */
  isWhole: boolean;
}

/** Stores a page. One event that cannot be stored stops no other; none that can is no matter of the event. */
const storeMissing = async (ctx: Ctx<"jobs">, events: readonly PaymentEvent[]): Promise<Stored> => {
  const missing: string[] = [];
  const problems: unknown[] = [];
  for (const event of events) {
    try {
      if ((await storeEvent(ctx, { event, source: "collected" })).isNew) missing.push(event.eventId);
    } catch (error) {
      problems.push(error);
      ctx.log.set({ payment_event_id: event.eventId, payment_problem: messageOf(error) });
    }
  }
  if (problems.length > 0 && problems.length === events.length) throw problems[0];
  await ctx.jobs.send(
    missing.map((eventId) => ({
      name: "billing/event.received" as const,
      id: eventJobId(eventId, 0),
      data: { eventId },
    })),
  );
  return { missing: missing.length, isWhole: problems.length === 0 };
};

/**
 * Reads the provider's own list of events on from where it was read to, and stores what no webhook brought. The newest
 * minutes are left for the webhooks that are still under way.
 * @returns how many were missing, and how many were read
 * @throws AppError when the provider does not answer; what was read stays
 */
export const collectEvents = async (ctx: Ctx<"payments" | "jobs">): Promise<{ missing: number; read: number }> => {
  const until = addMs(await databaseTime(ctx), -GRACE_MS);
  const total = { missing: 0, read: 0 };
  let bookmark = await findBookmark(ctx);
  let isWhole = true;
  for (let page = 0; page < PAGES_MAX && !ctx.stopping.aborted; page += 1) {
    const events = await readPage(ctx, bookmark);
    const tooNew = events.findIndex(({ occurredAt }) => occurredAt > until);
    const ripe = tooNew === -1 ? events : events.slice(0, tooNew);
    const stored = await storeMissing(ctx, ripe);
    total.missing += stored.missing;
    total.read += ripe.length;
    isWhole &&= stored.isWhole;
    bookmark = ripe.at(-1)?.eventId ?? bookmark;
    // Last of all, and never past an event that is not stored: whoever comes next reads from there again.
    if (isWhole && bookmark !== null && ripe.length > 0) await moveBookmark(ctx, bookmark);
    if (ripe.length < PAGE) break;
  }
  ctx.log.set({ payments_listed: total.read, payments_missing: total.missing });
  return total;
};

/** An event as it is stored, without what it told. `subject`: the provider's id of what it is about. */
export interface ListedEvent {
  eventId: string;
  eventType: string;
  occurredAt: Date;
  receivedAt: Date;
  source: string;
  appliedAt: Date | null;
  problem: string | null;
  sweeps: number;
  subject: string | null;
}

const { fact } = paymentEvents;
const subject = sql<
  string | null
>`coalesce(${fact}->'transaction'->>'id', ${fact}->'subscription'->>'id', ${fact}->'adjustment'->>'id')`;
const paymentId = sql`coalesce(${fact}->'transaction'->>'id', ${fact}->'adjustment'->>'transactionId')`;

const isOf = (userId: UserId) =>
  or(
    sql`${paymentId} in (select ${payments.id} from ${payments} where ${payments.userId} = ${userId})`,
    sql`${fact}->'subscription'->>'id' in (select ${subscriptions.id} from ${subscriptions} where ${subscriptions.userId} = ${userId})`,
  );

/**
 * The newest stored events for an operator's audit, newest first.
 * @param input `open`: only those that are not applied, or could not be read; `userId`: only those about a user
 */
export const listEvents = (
  ctx: Ctx,
  input: { open: boolean; userId: UserId | null; limit: number },
): Promise<ListedEvent[]> => {
  const { eventId, eventType, occurredAt, receivedAt, source, appliedAt, problem, sweeps } = paymentEvents;
  return ctx.db
    .select({ eventId, eventType, occurredAt, receivedAt, source, appliedAt, problem, sweeps, subject })
    .from(paymentEvents)
    .where(
      and(
        input.open ? or(isNull(appliedAt), isNotNull(problem)) : undefined,
        input.userId ? isOf(input.userId) : undefined,
      ),
    )
    .orderBy(desc(occurredAt), desc(eventId))
    .limit(input.limit);
};

/** Which: one event, all that occurred since a moment, or those whom a held payment belongs to. */
export type Replay = { kind: "event"; eventId: string } | { kind: "since"; since: Date } | { kind: "held" };

/** Takes the mark off stored events, so that they are applied once more. @returns how many */
const reopen = async (ctx: Ctx, replay: Exclude<Replay, { kind: "held" }>): Promise<number> => {
  const { eventId, occurredAt, fact } = paymentEvents;
  const which = replay.kind === "event" ? eq(eventId, replay.eventId) : gte(occurredAt, replay.since);
  const reopened = await ctx.db
    .update(paymentEvents)
    .set({ appliedAt: null, problem: null })
    .where(and(which, isNotNull(fact)))
    .returning({ eventId });
  return reopened.length;
};

const settleHeld = async (ctx: Ctx): Promise<number> => {
  const rows = await ctx.db
    .selectDistinct({ userId: payments.userId })
    .from(payments)
    .where(and(isNotNull(payments.heldReason), isNull(payments.grantedAt), isNotNull(payments.userId)));
  for (const { userId } of rows) {
    // Rows of this table hold ids of users.
    if (userId) await inTransaction(ctx, (tx) => settleUser(tx, { userId: userId }));
  }
  return rows.length;
};

/**
 * Applies stored events once more, or looks once more at payments that are held. What was given is not given again:
 * facts and causes are the same. Reports to support go out with the next sweep.
 * @returns how many events, or users, were looked at, and how many events could not be applied
 * @throws AppError `not_found` for an event that is not stored, or that nothing follows from
 */
export const replayEvents = async (ctx: Ctx, replay: Replay): Promise<{ looked: number; failed: number }> => {
  if (replay.kind === "held") return { looked: await settleHeld(ctx), failed: 0 };
  const looked = await reopen(ctx, replay);
  if (replay.kind === "event" && looked === 0) {
    throw new AppError("not_found", { text: "No such event is stored, or nothing follows from it." });
  }
  let failed = 0;
  for (let left = "more"; left === "more"; ) {
    const round = await applyEvents(ctx, { eventId: null });
    failed += round.failed;
    left = round.left;
    if (left === "another")
      throw new AppError("wrong_state", { text: "Events are being applied elsewhere; the rest follows there." });
  }
  return { looked, failed };
};

const takeForgotten = async (tx: Ctx): Promise<{ eventId: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ eventId: paymentEvents.eventId })
    .from(paymentEvents)
    .where(and(isNull(paymentEvents.appliedAt), lte(paymentEvents.wakeAt, tx.now())))
    .orderBy(asc(paymentEvents.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${EVENT_LONGEST_MS / SECOND_MS},
    ${EVENT_FIRST_MS / SECOND_MS} * power(2, least(${paymentEvents.sweeps}, 20) + 1))`;
  return tx.db
    .update(paymentEvents)
    .set({ sweeps: sql`${paymentEvents.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(paymentEvents.eventId, forgotten))
    .returning({ eventId: paymentEvents.eventId, sweeps: paymentEvents.sweeps });
};

/**
 * Sends a new durable event for each stored event that nobody has applied after a while (DESIGN §5.6): the engine was
 * down, a run died, or it could not be applied. @returns how many
 * @throws when the engine does not take them; they are due again after their pause
 */
export const sweepEvents = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ eventId, sweeps }) => ({
      name: "billing/event.received" as const,
      id: eventJobId(eventId, sweeps),
      data: { eventId },
    })),
  );
  if (swept.length > 0) ctx.log.set({ payments_swept: swept.length });
  return { sent: swept.length };
};
