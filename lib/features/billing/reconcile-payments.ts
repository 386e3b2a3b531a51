import "server-only";
import { and, gt, inArray, isNotNull, lt, or, sql } from "drizzle-orm";
import { payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import type { PaymentAnswer, PaymentFact } from "#lib/integrations/payments/port.ts";
import { applyFact } from "./apply-fact.ts";
import { reportLost } from "./report-lost.ts";

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
