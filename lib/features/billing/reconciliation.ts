import "server-only";
import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { paymentEvents, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import type { EmailId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import type { PaymentFact, PaymentResult } from "#lib/integrations/payments/port.ts";
import { applyFact } from "./events.ts";
import { reportUnmatched } from "./held-payments.ts";

/** How long after a period's end without an event its subscription is read back. */
const RENEWAL_GRACE_MS = HOUR_MS;
/** An unpaid checkout is read back only within its first day. */
const PAYMENT_GRACE_MS = 10 * MINUTE_MS;
const CHECKOUT_WINDOW_MS = DAY_MS;
const READ_BACK_BATCH = 50;

const findOverdueSubscriptions = (ctx: Ctx, now: Date) =>
  ctx.db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        inArray(subscriptions.status, ["active", "trialing", "past_due"]),
        lt(subscriptions.periodEndsAt, addMs(now, -RENEWAL_GRACE_MS)),
        lt(subscriptions.asOf, subscriptions.periodEndsAt),
      ),
    )
    .orderBy(sql`random()`)
    .limit(READ_BACK_BATCH);

const findUnfinishedPayments = (ctx: Ctx, now: Date) =>
  ctx.db
    .select({ id: payments.id })
    .from(payments)
    .where(
      and(
        isNotNull(payments.customerId),
        lt(payments.asOf, addMs(now, -PAYMENT_GRACE_MS)),
        or(
          inArray(payments.status, ["paid", "billed"]),
          and(inArray(payments.status, ["ready"]), gt(payments.createdAt, addMs(now, -CHECKOUT_WINDOW_MS))),
        ),
      ),
    )
    .orderBy(sql`random()`)
    .limit(READ_BACK_BATCH);

type ReadBack = () => Promise<PaymentFact | "none" | "unavailable">;

/** When the provider is unavailable or rate limiting, this run stops; the next one is soon. */
const toReadResult = <T>(
  answer: PaymentResult<T>,
  toFact: (value: T) => PaymentFact,
): PaymentFact | "none" | "unavailable" => {
  if (answer.kind === "ok") return toFact(answer.value);
  return answer.problem.kind === "unavailable" || answer.problem.kind === "rate_limited" ? "unavailable" : "none";
};

const findReadBacks = async (ctx: Ctx<"payments">, now: Date): Promise<ReadBack[]> => [
  ...(await findOverdueSubscriptions(ctx, now)).map(({ id }): ReadBack => {
    return async () =>
      toReadResult(await ctx.payments.getSubscription(id), (subscription) => ({ kind: "subscription", subscription }));
  }),
  ...(await findUnfinishedPayments(ctx, now)).map(({ id }): ReadBack => {
    return async () =>
      toReadResult(await ctx.payments.getTransaction(id), (transaction) => ({ kind: "transaction", transaction }));
  }),
];

/** Reads back what no event reported. The random order keeps items that never get an answer from blocking the rest. */
export const reconcilePayments = async (
  ctx: Ctx<"payments" | "jobs">,
): Promise<{ planned: number; answered: number }> => {
  const now = await databaseTime(ctx);
  const readBacks = await findReadBacks(ctx, now);
  const emailIds: EmailId[] = [];
  let answered = 0;
  for (const readBack of readBacks) {
    if (ctx.stopping.aborted) break;
    const fact = await readBack();
    if (fact === "unavailable") break;
    if (fact === "none") continue;
    answered += 1;
    emailIds.push(...(await applyFact(ctx, { fact })).emailIds);
  }
  emailIds.push(...(await reportUnmatched(ctx, { now })));
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  ctx.log.set({ payments_queried: readBacks.length, payments_answered: answered });
  return { planned: readBacks.length, answered };
};

/** Rewinds the list to before the oldest unreadable event, once its format is supported. @returns unreadable events */
export const rewindEventList = (ctx: Ctx): Promise<{ unread: number }> =>
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
    await tx.db.update(paymentEvents).set({ listedAt: null }).where(isNotNull(listedAt));
    if (before) {
      await tx.db.update(paymentEvents).set({ listedAt: sql`now()` }).where(eq(eventId, before.eventId));
    }
    return { unread: found?.unread ?? 0 };
  });
