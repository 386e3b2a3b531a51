import "server-only";
import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { paymentEvents, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { announceLetters } from "#lib/features/email/delivery.ts";
import type { PaymentAnswer, PaymentFact } from "#lib/integrations/payments/port.ts";
import { applyFact } from "./events.ts";
import { reportLost } from "./held-payments.ts";

/** A subscription whose period ended so long ago without news is asked about. */
const RENEWAL_PATIENCE_MS = HOUR_MS;
/** So is a payment that was heard of so long ago and has not finished, and a checkout in its first day. */
const PAID_PATIENCE_MS = 10 * MINUTE_MS;
const CHECKOUT_PATIENCE_MS = DAY_MS;
/** Questions of one kind in one round. */
const READ_BACK_MAX = 50;

/** Subscriptions that go on, though their period ended a while ago and nothing was heard since. */
const findSilent = (ctx: Ctx, now: Date) =>
  ctx.db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        inArray(subscriptions.status, ["active", "trialing", "past_due"]),
        lt(subscriptions.periodEndsAt, addMs(now, -RENEWAL_PATIENCE_MS)),
        lt(subscriptions.asOf, subscriptions.periodEndsAt),
      ),
    )
    .orderBy(sql`random()`)
    .limit(READ_BACK_MAX);

/** Payments that were made or tried, and whose end is not known after a while. */
const findUnfinished = (ctx: Ctx, now: Date) =>
  ctx.db
    .select({ id: payments.id })
    .from(payments)
    .where(
      and(
        isNotNull(payments.customerId),
        lt(payments.asOf, addMs(now, -PAID_PATIENCE_MS)),
        or(
          inArray(payments.status, ["paid", "billed"]),
          and(inArray(payments.status, ["ready"]), gt(payments.createdAt, addMs(now, -CHECKOUT_PATIENCE_MS))),
        ),
      ),
    )
    .orderBy(sql`random()`)
    .limit(READ_BACK_MAX);

type Question = () => Promise<PaymentFact | "none" | "away">;

/** A provider that is away, or asks for fewer calls, is not asked on: the next round is soon. */
const judge = <T>(answer: PaymentAnswer<T>, toFact: (value: T) => PaymentFact): PaymentFact | "none" | "away" => {
  if (answer.kind === "ok") return toFact(answer.value);
  return answer.problem.kind === "unavailable" || answer.problem.kind === "rate_limited" ? "away" : "none";
};

const findQuestions = async (ctx: Ctx<"payments">, now: Date): Promise<Question[]> => [
  ...(await findSilent(ctx, now)).map(({ id }): Question => {
    return async () =>
      judge(await ctx.payments.getSubscription(id), (subscription) => ({ kind: "subscription", subscription }));
  }),
  ...(await findUnfinished(ctx, now)).map(({ id }): Question => {
    return async () =>
      judge(await ctx.payments.getTransaction(id), (transaction) => ({ kind: "transaction", transaction }));
  }),
];

/**
 * Asks the provider about what should have been told and was not: renewals, payments that never finished. A drawn lot
 * decides whose turn it is, so that some that never get an answer do not keep out the rest. Support is told of money
 * that nothing followed from.
 * @returns how many answers came, and how many questions there were
 */
export const reconcilePayments = async (
  ctx: Ctx<"payments" | "jobs">,
): Promise<{ asked: number; answered: number }> => {
  const now = await databaseTime(ctx);
  const questions = await findQuestions(ctx, now);
  const letterIds: LetterId[] = [];
  let answered = 0;
  for (const ask of questions) {
    if (ctx.stopping.aborted) break;
    const fact = await ask();
    if (fact === "away") break;
    if (fact === "none") continue;
    answered += 1;
    letterIds.push(...(await applyFact(ctx, { fact })).letterIds);
  }
  letterIds.push(...(await reportLost(ctx, { now })));
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  ctx.log.set({ payments_asked: questions.length, payments_answered: answered });
  return { asked: questions.length, answered };
};

/**
 * Has the provider's list read once more from the oldest event on that could not be read: after this product has learned
 * to. The next collecting takes anew what it can read then. @returns how many could not be read
 */
export const rereadList = (ctx: Ctx): Promise<{ unread: number }> =>
  inTransaction(ctx, async (tx) => {
    const { eventId, occurredAt, fact, problem, listedAt } = paymentEvents;
    const isUnread = and(isNull(fact), isNotNull(problem));
    const [found] = await tx.db.select({ unread: count() }).from(paymentEvents).where(isUnread);
    const [oldest] = await tx.db
      .select({ occurredAt })
      .from(paymentEvents)
      .where(isUnread)
      .orderBy(asc(occurredAt), asc(eventId))
      .limit(1);
    if (!oldest) return { unread: 0 };
    const [before] = await tx.db
      .select({ eventId })
      .from(paymentEvents)
      .where(lt(occurredAt, oldest.occurredAt))
      .orderBy(desc(occurredAt), desc(eventId))
      .limit(1);
    // None before it: the list is read from its beginning.
    await tx.db.update(paymentEvents).set({ listedAt: null }).where(isNotNull(listedAt));
    if (before) {
      await tx.db.update(paymentEvents).set({ listedAt: sql`now()` }).where(eq(eventId, before.eventId));
    }
    return { unread: found?.unread ?? 0 };
  });
