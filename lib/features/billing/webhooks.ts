import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { paymentEvents, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PaymentEvent } from "#lib/integrations/payments/port.ts";
import { SWEEP_BATCH, SWEEP_DELAY_MAX_MS, SWEEP_DELAY_MIN_MS } from "./constants.ts";
import { applyEvents } from "./events.ts";
import { eventJobId, toPaymentError } from "./policy.ts";
import { settleUser } from "./settlement.ts";

const SEND_WAIT_MS = 300;

interface Webhook {
  body: Uint8Array;
  signature: string | null;
}

/** A slow engine must not delay the provider: the event is stored, and the sweep sends it later. */
const sendEvent = async (ctx: Ctx<"jobs">, eventId: string): Promise<void> => {
  const event = { name: "billing/event.received" as const, id: eventJobId(eventId, 0), data: { eventId } };
  const sending = ctx.jobs.send([event]).then(() => null, messageOf);
  const slow = delay(SEND_WAIT_MS, "The engine did not respond in time.", { ref: false });
  const problem = await Promise.race([sending, slow]);
  if (problem !== null) ctx.log.set({ engine_problem: problem });
};

/**
 * Stored once per id, also for unknown types; a durable function does the work. @throws AppError `unauthenticated` for
 * a bad signature, `invalid` for a body without an event; nothing is stored then
 */
export const receiveEvent = async (
  ctx: Ctx<"payments" | "jobs">,
  { body, signature }: Webhook,
): Promise<{ kind: "stored" | "known" }> => {
  // The signature's tolerance covers small errors of this process's clock.
  if (!ctx.payments.isAuthentic({ body, signature, now: ctx.now() })) {
    throw new AppError("unauthenticated", { text: "The signature is missing or invalid." });
  }
  const event = ctx.payments.readEvent(body);
  if (!event) throw new AppError("invalid", { text: "The body doesn't contain an event." });
  ctx.log.set({ payment_event: event.eventType, payment_event_id: event.eventId });
  if (event.unreadable) ctx.log.set({ payment_problem: event.unreadable });
  const { isNew } = await storeEvent(ctx, { event, source: "webhook" });
  if (isNew) await sendEvent(ctx, event.eventId);
  return { kind: isNew ? "stored" : "known" };
};

/** Once per id, and again once an unreadable event is readable; one without a fact counts as applied. */
export const storeEvent = async (
  ctx: Ctx,
  { event, source }: { event: PaymentEvent; source: "webhook" | "collected" },
): Promise<{ isNew: boolean }> => {
  const { eventId, eventType, occurredAt, fact, unreadable } = event;
  const wakeAt = sql`now() + make_interval(secs => ${SWEEP_DELAY_MIN_MS / SECOND_MS})`;
  const content = { fact, problem: unreadable, appliedAt: fact ? null : sql`now()` };
  const stored = await ctx.db
    .insert(paymentEvents)
    .values({ eventId, eventType, occurredAt, source, ...content, receivedAt: sql`now()`, wakeAt })
    .onConflictDoUpdate({
      target: paymentEvents.eventId,
      set: { ...content, wakeAt },
      setWhere: and(isNull(paymentEvents.fact), isNotNull(paymentEvents.problem), sql`excluded.fact is not null`),
    })
    .returning({ eventId: paymentEvents.eventId });
  return { isNew: stored.length > 0 && fact !== null };
};

/** Newer events are left to webhooks that may still be on their way. */
const GRACE_MS = 2 * MINUTE_MS;
const PAGE = 200;
const PAGES_MAX = 50;

const findListCursor = async (ctx: Ctx): Promise<string | null> => {
  const { eventId, listedAt } = paymentEvents;
  const [row] = await ctx.db.select({ eventId }).from(paymentEvents).where(isNotNull(listedAt)).limit(1);
  return row?.eventId ?? null;
};

const moveListCursor = async (ctx: Ctx, to: string): Promise<void> => {
  const { eventId, listedAt } = paymentEvents;
  await ctx.db
    .update(paymentEvents)
    .set({ listedAt: sql`case when ${eventId} = ${to} then now() end` })
    .where(or(isNotNull(listedAt), eq(eventId, to)));
};

/** The first page when the provider no longer has the cursor's event. */
const readPage = async (ctx: Ctx<"payments">, cursor: string | null): Promise<PaymentEvent[]> => {
  const answer = await ctx.payments.listEvents(cursor);
  if (answer.kind === "ok") return answer.value;
  const isExpired = cursor !== null && (answer.problem.kind === "not_found" || answer.problem.kind === "refused");
  if (isExpired) return readPage(ctx, null);
  throw toPaymentError(answer.problem);
};

interface Stored {
  missing: number;
  isComplete: boolean;
}

/** One event that cannot be stored does not stop the others; if none can, the database is the problem. */
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
  return { missing: missing.length, isComplete: problems.length === 0 };
};

/** Stores what no webhook delivered. @throws AppError when the provider does not answer; what was read is kept */
export const collectEvents = async (ctx: Ctx<"payments" | "jobs">): Promise<{ missing: number; read: number }> => {
  const until = addMs(await databaseTime(ctx), -GRACE_MS);
  const total = { missing: 0, read: 0 };
  let cursor = await findListCursor(ctx);
  let isComplete = true;
  for (let page = 0; page < PAGES_MAX && !ctx.stopping.aborted; page += 1) {
    const events = await readPage(ctx, cursor);
    const firstRecent = events.findIndex(({ occurredAt }) => occurredAt > until);
    const ready = firstRecent === -1 ? events : events.slice(0, firstRecent);
    const stored = await storeMissing(ctx, ready);
    total.missing += stored.missing;
    total.read += ready.length;
    isComplete &&= stored.isComplete;
    cursor = ready.at(-1)?.eventId ?? cursor;
    // Moves last and never past an event that was not stored.
    if (isComplete && cursor !== null && ready.length > 0) await moveListCursor(ctx, cursor);
    if (ready.length < PAGE) break;
  }
  ctx.log.set({ payments_listed: total.read, payments_missing: total.missing });
  return total;
};

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

const isAbout = (userId: UserId) =>
  or(
    sql`${paymentId} in (select ${payments.id} from ${payments} where ${payments.userId} = ${userId})`,
    sql`${fact}->'subscription'->>'id' in (select ${subscriptions.id} from ${subscriptions} where ${subscriptions.userId} = ${userId})`,
  );

/** `open`: only unapplied or unreadable events. */
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
        input.userId ? isAbout(input.userId) : undefined,
      ),
    )
    .orderBy(desc(occurredAt), desc(eventId))
    .limit(input.limit);
};

/** `held`: everything about users with held payments. */
export type Replay = { kind: "event"; eventId: string } | { kind: "since"; since: Date } | { kind: "held" };

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
    if (userId) await inTransaction(ctx, (tx) => settleUser(tx, { userId: userId }));
  }
  return rows.length;
};

/** Grants are not repeated, because their causes are the same. @throws AppError `not_found` without such a fact */
export const replayEvents = async (ctx: Ctx, replay: Replay): Promise<{ processed: number; failed: number }> => {
  if (replay.kind === "held") return { processed: await settleHeld(ctx), failed: 0 };
  const processed = await reopen(ctx, replay);
  if (replay.kind === "event" && processed === 0) {
    throw new AppError("not_found", { text: "No such event is stored, or it has no effect." });
  }
  let failed = 0;
  for (let left = "more"; left === "more"; ) {
    const round = await applyEvents(ctx, { eventId: null });
    failed += round.failed;
    left = round.left;
    if (left === "another")
      throw new AppError("wrong_state", { text: "Another process is applying events and will finish the rest." });
  }
  return { processed, failed };
};

const claimStale = async (tx: Ctx): Promise<{ eventId: string; sweeps: number }[]> => {
  const stale = tx.db
    .select({ eventId: paymentEvents.eventId })
    .from(paymentEvents)
    .where(and(isNull(paymentEvents.appliedAt), lte(paymentEvents.wakeAt, tx.now())))
    .orderBy(asc(paymentEvents.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const delaySeconds = sql`least(${SWEEP_DELAY_MAX_MS / SECOND_MS},
    ${SWEEP_DELAY_MIN_MS / SECOND_MS} * power(2, least(${paymentEvents.sweeps}, 20) + 1))`;
  return tx.db
    .update(paymentEvents)
    .set({ sweeps: sql`${paymentEvents.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${delaySeconds})` })
    .where(inArray(paymentEvents.eventId, stale))
    .returning({ eventId: paymentEvents.eventId, sweeps: paymentEvents.sweeps });
};

/** @throws when the engine rejects them; they are due again after their delay */
export const sweepEvents = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, claimStale);
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
