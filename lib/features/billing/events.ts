import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { z } from "zod";
import { paymentEvents } from "#db/schema/billing.ts";
import { isDeadlock } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf, unreachable } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import type { PaymentFact } from "#lib/integrations/payments/port.ts";
import { SWEEP_DELAY_MIN_MS } from "./constants.ts";
import { storeAdjustment, storePayment, storeSubscription } from "./records.ts";
import { settleUser } from "./settlement.ts";

export const applyEvent = async (
  ctx: Ctx<"jobs">,
  { eventId }: { eventId: string },
): Promise<Omit<Applied, "emailIds">> => {
  const { emailIds, ...totals } = await applyEvents(ctx, { eventId });
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  return totals;
};

const APPLY_MAX = 200;
const APPLY_TRIES = 20;
const BUSY_MS = 100;
const PROBLEM_MAX = 500;

type Row = typeof paymentEvents.$inferSelect;
type ApplyResult =
  | { kind: "busy" }
  | { kind: "none" }
  | { kind: "applied" | "failed"; eventId: string; emailIds: EmailId[] };

/** Applying one at a time keeps the order. The lock ends with the transaction. */
const acquireApplyLock = async (tx: Ctx): Promise<boolean> => {
  const lock = sql`select pg_try_advisory_xact_lock(hashtextextended('payment-events', 0)) as alone`;
  const [row] = await tx.db.execute<{ alone: boolean }>(lock);
  return row?.alone === true;
};

/** A failed event waits for its retry time unless it was requested by id. */
const findNext = async (tx: Ctx, requestedId: string | null): Promise<Row | undefined> => {
  const { eventId, appliedAt, problem, wakeAt, occurredAt } = paymentEvents;
  const isDue = or(isNull(problem), lte(wakeAt, tx.now()), requestedId === null ? undefined : eq(eventId, requestedId));
  const [row] = await tx.db
    .select()
    .from(paymentEvents)
    .where(and(isNull(appliedAt), isDue))
    .orderBy(asc(occurredAt), asc(eventId))
    .limit(1);
  return row;
};

const applyNext = (ctx: Ctx, requestedId: string | null): Promise<ApplyResult> =>
  inTransaction(ctx, async (tx) => {
    if (!(await acquireApplyLock(tx))) return { kind: "busy" };
    const row = await findNext(tx, requestedId);
    if (!row) return { kind: "none" };
    const { eventId } = row;
    const mark = (values: Partial<Row>) =>
      tx.db.update(paymentEvents).set(values).where(eq(paymentEvents.eventId, eventId));
    try {
      const { emailIds } = await applyFact(tx, { fact: readFact(row.fact) });
      await mark({ appliedAt: tx.now(), problem: null });
      return { kind: "applied", eventId, emailIds };
    } catch (error) {
      // The savepoint rolled this event back; the others can still be applied.
      const problem = messageOf(error).slice(0, PROBLEM_MAX);
      await mark({
        problem,
        wakeAt: new Date(Math.max(row.wakeAt.getTime(), tx.now().getTime() + SWEEP_DELAY_MIN_MS)),
      });
      ctx.log.set({ payment_event_id: eventId, payment_problem: problem });
      return { kind: "failed", eventId, emailIds: [] };
    }
  });

interface Applied {
  applied: number;
  failed: number;
  left: "none" | "more" | "another";
  emailIds: EmailId[];
}

/**
 * Applies stored events in order, each in its own transaction; a failed one does not stop the others. Safe to run
 * concurrently. `eventId`: an event to try even if it failed recently.
 */
export const applyEvents = async (ctx: Ctx, input: { eventId: string | null }): Promise<Applied> => {
  const totals: Applied = { applied: 0, failed: 0, left: "more", emailIds: [] };
  let requestedId = input.eventId;
  let tries = 0;
  while (totals.left === "more" && totals.applied + totals.failed < APPLY_MAX && !ctx.stopping.aborted) {
    const result = await applyNext(ctx, requestedId);
    if (result.kind === "none") totals.left = "none";
    else if (result.kind !== "busy") {
      totals[result.kind] += 1;
      totals.emailIds.push(...result.emailIds);
      if (result.eventId === requestedId) requestedId = null;
    } else {
      tries += 1;
      if (tries < APPLY_TRIES) await delay(BUSY_MS);
      else totals.left = "another";
    }
  }
  ctx.log.set({ payments_applied: totals.applied, ...(totals.failed > 0 && { payments_failed: totals.failed }) });
  return totals;
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

/** All or nothing; repeated and outdated facts change nothing. @returns the users concerned, and queued reports */
export const applyFact = (
  ctx: Ctx,
  { fact }: { fact: PaymentFact },
): Promise<{ userIds: UserId[]; emailIds: EmailId[] }> =>
  retryDeadlock(() =>
    inTransaction(ctx, async (tx) => {
      // A fixed order prevents deadlocks between facts that concern the same users.
      const userIds = [...new Set(await store(tx, fact))].sort();
      const emailIds: EmailId[] = [];
      for (const userId of userIds) emailIds.push(...(await settleUser(tx, { userId })));
      return { userIds, emailIds };
    }),
  );

const storedTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const storedPeriod = z.object({ startsAt: storedTime, endsAt: storedTime });
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
  createdAt: storedTime,
  billedAt: storedTime.nullable(),
  updatedAt: storedTime,
});

const storedSubscription = z.object({
  id: z.string(),
  status: z.enum(["active", "trialing", "past_due", "paused", "canceled"]),
  customerId: z.string(),
  customData: storedHints,
  priceId: z.string().nullable(),
  currentPeriod: storedPeriod.nullable(),
  nextBilledAt: storedTime.nullable(),
  scheduledChange: z.object({ action: z.enum(["cancel", "pause", "resume"]), effectiveAt: storedTime }).nullable(),
  startedAt: storedTime.nullable(),
  pausedAt: storedTime.nullable(),
  canceledAt: storedTime.nullable(),
  updatedAt: storedTime,
});

const storedAdjustment = z.object({
  id: z.string(),
  action: z.string(),
  status: z.string(),
  transactionId: z.string(),
  currency: z.string(),
  totalMinor: z.number(),
  createdAt: storedTime,
  updatedAt: storedTime,
});

const storedFact: z.ZodType<PaymentFact> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("transaction"), transaction: storedTransaction }),
  z.object({ kind: z.literal("subscription"), subscription: storedSubscription }),
  z.object({ kind: z.literal("adjustment"), adjustment: storedAdjustment }),
]);

const readFact = (stored: unknown): PaymentFact => storedFact.parse(stored);

const TRIES_MAX = 4;

/** Retries after a deadlock, which rolled everything in `run` (one transaction or savepoint) back. */
export const retryDeadlock = async <R>(run: () => Promise<R>): Promise<R> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries >= TRIES_MAX || !isDeadlock(error)) throw error;
    }
  }
};
