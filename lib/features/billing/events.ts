import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { z } from "zod";
import { paymentEvents } from "#db/schema/billing.ts";
import { isDeadlock } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf, unreachable } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { announceLetters } from "#lib/features/email/delivery.ts";
import type { PaymentFact } from "#lib/integrations/payments/port.ts";
import { EVENT_FIRST_MS } from "./constants.ts";
import { storeAdjustment, storePayment, storeSubscription } from "./records.ts";
import { settleUser } from "./settlement.ts";

/** Applies an event, and with it all that are stored and not applied yet, in their order; tells support what it must know. */
export const applyEvent = async (
  ctx: Ctx<"jobs">,
  { eventId }: { eventId: string },
): Promise<Omit<Applied, "letterIds">> => {
  const { letterIds, ...done } = await applyEvents(ctx, { eventId });
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return done;
};

/** Events that one step applies at most. */
const APPLY_MAX = 200;
/** How often, and after which pause, a step looks whether somebody else still applies events. */
const APPLY_TRIES = 20;
const BUSY_MS = 100;
/** Characters of a problem that are kept. */
const PROBLEM_MAX = 500;

type Row = typeof paymentEvents.$inferSelect;
type Turn =
  | { kind: "busy" }
  | { kind: "none" }
  | { kind: "applied" | "failed"; eventId: string; letterIds: LetterId[] };

/** Only one at a time applies events, so that they are applied in their order. Whoever dies lets go of it. */
const isAlone = async (tx: Ctx): Promise<boolean> => {
  const lock = sql`select pg_try_advisory_xact_lock(hashtextextended('payment-events', 0)) as alone`;
  const [row] = await tx.db.execute<{ alone: boolean }>(lock);
  return row?.alone === true;
};

/** The oldest event to be applied. One that failed waits for its time, unless it is the one that is asked for. */
const findNext = async (tx: Ctx, askedId: string | null): Promise<Row | undefined> => {
  const { eventId, appliedAt, problem, wakeAt, occurredAt } = paymentEvents;
  const isDue = or(isNull(problem), lte(wakeAt, tx.now()), askedId === null ? undefined : eq(eventId, askedId));
  const [row] = await tx.db
    .select()
    .from(paymentEvents)
    .where(and(isNull(appliedAt), isDue))
    .orderBy(asc(occurredAt), asc(eventId))
    .limit(1);
  return row;
};

const applyNext = (ctx: Ctx, askedId: string | null): Promise<Turn> =>
  inTransaction(ctx, async (tx) => {
    if (!(await isAlone(tx))) return { kind: "busy" };
    const row = await findNext(tx, askedId);
    if (!row) return { kind: "none" };
    const { eventId } = row;
    const mark = (values: Partial<Row>) =>
      tx.db.update(paymentEvents).set(values).where(eq(paymentEvents.eventId, eventId));
    try {
      const { letterIds } = await applyFact(tx, { fact: readFact(row.fact) });
      await mark({ appliedAt: tx.now(), problem: null });
      return { kind: "applied", eventId, letterIds };
    } catch (error) {
      // The savepoint took the fact back; the others go on without it.
      const problem = messageOf(error).slice(0, PROBLEM_MAX);
      await mark({ problem, wakeAt: new Date(Math.max(row.wakeAt.getTime(), tx.now().getTime() + EVENT_FIRST_MS)) });
      ctx.log.set({ payment_event_id: eventId, payment_problem: problem });
      return { kind: "failed", eventId, letterIds: [] };
    }
  });

/** What a round of applying came to. */
interface Applied {
  applied: number;
  failed: number;
  /** `more`: there may be others; `another`: somebody else is applying them. */
  left: "none" | "more" | "another";
  /** Reports to support that wait to be announced. */
  letterIds: LetterId[];
}

/**
 * Applies the stored events that are not applied yet, in the order in which they occurred, each in a transaction of its
 * own: fact, what follows from it, and that it was applied, or nothing. One that cannot be applied keeps its problem
 * and does not stop the others. Run twice, or by two, it does no harm.
 * @param input the event that is asked for is tried even if it failed a moment ago
 */
export const applyEvents = async (ctx: Ctx, input: { eventId: string | null }): Promise<Applied> => {
  const done: Applied = { applied: 0, failed: 0, left: "more", letterIds: [] };
  let askedId = input.eventId;
  let tries = 0;
  while (done.left === "more" && done.applied + done.failed < APPLY_MAX && !ctx.stopping.aborted) {
    const turn = await applyNext(ctx, askedId);
    if (turn.kind === "none") done.left = "none";
    else if (turn.kind !== "busy") {
      done[turn.kind] += 1;
      done.letterIds.push(...turn.letterIds);
      if (turn.eventId === askedId) askedId = null;
    } else {
      tries += 1;
      if (tries < APPLY_TRIES) await delay(BUSY_MS);
      else done.left = "another";
    }
  }
  ctx.log.set({ payments_applied: done.applied, ...(done.failed > 0 && { payments_failed: done.failed }) });
  return done;
};

const store = (tx: Ctx, fact: PaymentFact): Promise<UserId[]> => {
  switch (fact.kind) {
    case "transaction":
      return storePayment(tx, fact.transaction);
    case "subscription":
      return storeSubscription(tx, fact.subscription);
    case "adjustment":
      return storeAdjustment(tx, fact.adjustment);
    default:
      return unreachable(fact);
  }
};

/**
 * Stores what the provider told, by an event or an answer, and settles everybody whom it concerns: all of it or nothing.
 * The same fact twice, or an older one after a newer one, changes nothing.
 * @returns whom it concerns, and the reports to support that wait to be announced
 */
export const applyFact = (
  ctx: Ctx,
  { fact }: { fact: PaymentFact },
): Promise<{ userIds: UserId[]; letterIds: LetterId[] }> =>
  retryDeadlock(() =>
    inTransaction(ctx, async (tx) => {
      // In one order, so that two facts that concern the same two users do not wait for each other.
      const userIds = [...new Set(await store(tx, fact))].sort();
      const letterIds: LetterId[] = [];
      for (const userId of userIds) letterIds.push(...(await settleUser(tx, { userId })));
      return { userIds, letterIds };
    }),
  );

const storedMoment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const storedPeriod = z.object({ startsAt: storedMoment, endsAt: storedMoment });
const storedHints = z.object({ userId: z.string().nullable(), purchaseRef: z.string().nullable() });

const storedTransaction = z.object({
  id: z.string(),
  status: z.enum(["draft", "ready", "billed", "paid", "completed", "canceled", "past_due"]),
  origin: z.string(),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  customData: storedHints,
  items: z.array(z.object({ priceId: z.string(), quantity: z.number() })),
  billingPeriod: storedPeriod.nullable(),
  currency: z.string(),
  totalMinor: z.number(),
  method: z.string().nullable(),
  failure: z.string().nullable(),
  invoiceNumber: z.string().nullable(),
  createdAt: storedMoment,
  billedAt: storedMoment.nullable(),
  updatedAt: storedMoment,
});

const storedSubscription = z.object({
  id: z.string(),
  status: z.enum(["active", "trialing", "past_due", "paused", "canceled"]),
  customerId: z.string(),
  customData: storedHints,
  priceId: z.string().nullable(),
  currentPeriod: storedPeriod.nullable(),
  nextBilledAt: storedMoment.nullable(),
  scheduledChange: z.object({ action: z.enum(["cancel", "pause", "resume"]), effectiveAt: storedMoment }).nullable(),
  startedAt: storedMoment.nullable(),
  pausedAt: storedMoment.nullable(),
  canceledAt: storedMoment.nullable(),
  updatedAt: storedMoment,
});

const storedAdjustment = z.object({
  id: z.string(),
  action: z.string(),
  status: z.string(),
  transactionId: z.string(),
  currency: z.string(),
  totalMinor: z.number(),
  createdAt: storedMoment,
  updatedAt: storedMoment,
});

const storedFact: z.ZodType<PaymentFact> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("transaction"), transaction: storedTransaction }),
  z.object({ kind: z.literal("subscription"), subscription: storedSubscription }),
  z.object({ kind: z.literal("adjustment"), adjustment: storedAdjustment }),
]);

/** The fact of a stored event, as the table holds it: moments as text. @throws ZodError for anything else. */
const readFact = (stored: unknown): PaymentFact => storedFact.parse(stored);

/** How often a transaction is tried in all. Each time the database ends one of two, so the other one gets through. */
const TRIES_MAX = 4;

/**
 * Does something once more when the database chose it as the victim of a deadlock: nothing of it was kept. Everything else,
 * and the last of some tries, fails as it does.
 * @param run one transaction, or one savepoint: all that it did must be undone when it fails
 */
export const retryDeadlock = async <R>(run: () => Promise<R>): Promise<R> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries >= TRIES_MAX || !isDeadlock(error)) throw error;
    }
  }
};
