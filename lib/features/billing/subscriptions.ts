import "server-only";
import { and, eq, inArray, isNotNull, ne, or, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { paymentCustomers, paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PaymentProblem, PaymentResult, PaymentSubscription } from "#lib/integrations/payments/port.ts";
import { unwrapResult } from "./checkout.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { applyFact } from "./events.ts";
import { hasEnded, isCanceling, subscriptionStatusOf, toPaymentError } from "./policy.ts";
import {
  findLiveSubscription,
  findSubscription,
  findSubscriptionView,
  type Subscription,
  type SubscriptionView,
} from "./queries.ts";
import type { HeldSubscriptionInput } from "./schema.ts";

/** Call outside of transactions. @throws AppError provider errors; nothing has changed then */
export const refreshSubscription = async (ctx: Ctx<"payments">, { id }: { id: string }): Promise<void> => {
  const subscription = await unwrapResult(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
};

interface SubscriptionWrite {
  id: string;
  write: () => Promise<PaymentResult<PaymentSubscription>>;
  isApplied: (subscription: PaymentSubscription) => boolean;
  refusalText?: (problem: PaymentProblem) => string;
}

const saveSubscription = (ctx: Ctx, subscription: PaymentSubscription) =>
  applyFact(ctx, { fact: { kind: "subscription", subscription } });

/**
 * After an unknown outcome or refusal it is read back; a change that happened is a success. Call outside of
 * transactions. @throws AppError `refused`; `provider_unavailable`, whose text says so when the outcome is unknown
 */
export const writeSubscription = async (ctx: Ctx<"payments">, change: SubscriptionWrite): Promise<void> => {
  const answer = await change.write();
  if (answer.kind === "ok") {
    await saveSubscription(ctx, answer.value);
    return;
  }
  const { problem } = answer;
  ctx.log.count(`payments_problem_${problem.kind}`);
  // Nothing was changed, and another call would be rejected as well.
  if (problem.kind === "rate_limited") throw toPaymentError(problem);
  const read = await ctx.payments.getSubscription(change.id);
  if (read.kind === "ok") {
    await saveSubscription(ctx, read.value);
    if (change.isApplied(read.value)) return;
  }
  if (problem.kind === "unavailable") {
    throw new AppError("provider_unavailable", { text: SETTINGS_TEXTS.unknownOutcome });
  }
  throw toPaymentError(problem, change.refusalText?.(problem));
};

/** Refreshes first, because a scheduled end may have been removed at the provider. A canceled one is final. */
const findCurrent = async (ctx: Ctx<"payments">, userId: UserId): Promise<Subscription | null> => {
  const stored = await findSubscription(ctx, userId);
  if (stored?.status === "canceled" || stored?.scheduledAction !== "cancel") return stored;
  await refreshSubscription(ctx, stored);
  return findSubscription(ctx, userId);
};

/** At its period's end, or now when paused. Repeatable. @throws AppError `wrong_state` without any; provider errors */
export const cancelSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findCurrent(ctx, userId);
  if (!subscription) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToCancel });
  const at = await databaseTime(ctx);
  if (!hasEnded(subscription, at) && !isCanceling(subscription, at)) {
    await writeSubscription(ctx, {
      id: subscription.id,
      write: () => ctx.payments.cancelSubscription(subscription.id, "period_end"),
      isApplied: ({ status, scheduledChange }) => status === "canceled" || scheduledChange?.action === "cancel",
    });
  }
  const view = await findSubscriptionView(ctx, userId);
  const isOver = subscriptionStatusOf(view.subscription, view.now).status === "canceled";
  return { message: isOver ? SETTINGS_TEXTS.canceledAtOnce : SETTINGS_TEXTS.canceled, view };
};

const keepPlan = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.keepSubscription(id),
    isApplied: ({ status, scheduledChange }) => status !== "canceled" && scheduledChange === null,
    refusalText: () => SETTINGS_TEXTS.resumeFailed,
  });

const restart = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.restartSubscription(id),
    isApplied: ({ status }) => status !== "paused" && status !== "canceled",
    refusalText: () => SETTINGS_TEXTS.restartFailed,
  });

/** A paused one is charged now. Repeatable. @throws AppError `wrong_state` without a live one; provider errors */
export const resumeSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToResume });
  }
  const isPaused = subscription.status === "paused";
  await (isPaused ? restart(ctx, subscription.id) : keepPlan(ctx, subscription.id));
  const message = isPaused ? SETTINGS_TEXTS.restarted : SETTINGS_TEXTS.resumed;
  return { message, view: await findSubscriptionView(ctx, userId) };
};

const CURRENT_PLAN = "This is your current plan. Reload the page to see it.";

const findOwn = async (ctx: Ctx, userId: UserId, id: string): Promise<Subscription> => {
  const isTheirs = and(eq(subscriptions.id, id), eq(subscriptions.userId, userId));
  const [row] = await ctx.db.select().from(subscriptions).where(isTheirs);
  if (!row) throw new AppError("not_found");
  return row;
};

/**
 * The main subscription is refreshed first: if it has ended, this one is the plan.
 * @throws AppError `not_found` when it is not the actor's; `wrong_state` when it grants their plan; provider errors
 */
export const cancelHeldSubscription = async (ctx: Ctx<"payments">, { id }: HeldSubscriptionInput): Promise<void> => {
  const userId = requireUserId(ctx);
  // Only this state is final; a scheduled end may have been removed at the provider.
  if ((await findOwn(ctx, userId, id)).status === "canceled") return;
  const main = await findLiveSubscription(ctx, userId);
  if (main && main.id !== id) await refreshSubscription(ctx, main);
  // The other subscription may have ended since the page was rendered.
  if ((await findOwn(ctx, userId, id)).heldReason === null) throw new AppError("wrong_state", { text: CURRENT_PLAN });
  await writeSubscription(ctx, {
    id,
    write: () => ctx.payments.cancelSubscription(id, "now"),
    isApplied: ({ status }) => status === "canceled",
  });
};

/** True when it has ended. One unknown to the provider charges no one either. */
const endSubscription = async (ctx: Ctx<"payments">, id: string): Promise<boolean> => {
  let isUnknown = false;
  try {
    await writeSubscription(ctx, {
      id,
      write: async () => {
        const answer = await ctx.payments.cancelSubscription(id, "now");
        isUnknown = answer.kind === "problem" && answer.problem.kind === "not_found";
        return answer;
      },
      isApplied: ({ status }) => status === "canceled",
    });
    return true;
  } catch (error) {
    if (isUnknown) return true;
    ctx.log.set({ payments_problem: messageOf(error) });
    return false;
  }
};

/** Safe to run again. @returns how many could not be canceled; try again */
export const endSubscriptions = async (
  ctx: Ctx<"payments">,
  { userId }: { userId: UserId },
): Promise<{ left: number }> => {
  const rows = await ctx.db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.status, "canceled")));
  let left = 0;
  for (const { id } of rows) if (!(await endSubscription(ctx, id))) left += 1;
  return { left };
};

/** Adjustments contain no personal data. */
const FACT_TRANSACTION_ID = sql`${paymentEvents.fact} #>> '{transaction,id}'`;
const FACT_SUBSCRIPTION_ID = sql`${paymentEvents.fact} #>> '{subscription,id}'`;

const anonymize = async (tx: Ctx, userId: UserId): Promise<void> => {
  const ofUser = { payments: eq(payments.userId, userId), subscriptions: eq(subscriptions.userId, userId) };
  const ownPayments = tx.db.select({ id: payments.id }).from(payments).where(ofUser.payments);
  const ownSubscriptions = tx.db.select({ id: subscriptions.id }).from(subscriptions).where(ofUser.subscriptions);
  await tx.db
    .update(paymentEvents)
    .set({ fact: null })
    .where(
      and(
        isNotNull(paymentEvents.appliedAt),
        isNotNull(paymentEvents.fact),
        or(inArray(FACT_TRANSACTION_ID, ownPayments), inArray(FACT_SUBSCRIPTION_ID, ownSubscriptions)),
      ),
    );
  await tx.db.update(payments).set({ customerId: null, method: null, purchaseId: null }).where(ofUser.payments);
  await tx.db.update(subscriptions).set({ customerId: null }).where(ofUser.subscriptions);
  await tx.db.delete(paymentCustomers).where(eq(paymentCustomers.userId, userId));
  await tx.db.delete(purchases).where(eq(purchases.userId, userId));
};

/** Date, amount, invoice number and item stay for bookkeeping. Safe to run again. */
export const anonymizePayer = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, (tx) => anonymize(tx, userId));

/** Data that arrived after the erasure, such as a late renewal. */
const findLeftovers = (ctx: Ctx): Promise<{ userId: UserId | null }[]> => {
  const { userId } = payments;
  const isClosed = isNotNull(users.closedAt);
  const { db } = ctx;
  return union(
    db
      .select({ userId })
      .from(payments)
      .innerJoin(users, eq(users.id, userId))
      .where(and(isClosed, or(isNotNull(payments.customerId), isNotNull(payments.method)))),
    db
      .select({ userId: subscriptions.userId })
      .from(subscriptions)
      .innerJoin(users, eq(users.id, subscriptions.userId))
      .where(and(isClosed, or(isNotNull(subscriptions.customerId), ne(subscriptions.status, "canceled")))),
    db
      .select({ userId: paymentCustomers.userId })
      .from(paymentCustomers)
      .innerJoin(users, eq(users.id, paymentCustomers.userId))
      .where(isClosed),
    db
      .select({ userId: purchases.userId })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(isClosed),
  );
};

export const purgePaymentCustomers = async (ctx: Ctx<"payments">): Promise<number> => {
  const found = (await findLeftovers(ctx)).flatMap(({ userId }) => (userId === null ? [] : [userId]));
  for (const userId of found) {
    const { left } = await endSubscriptions(ctx, { userId });
    // The owner must stay known until the subscription has ended.
    if (left === 0) await anonymizePayer(ctx, { userId });
  }
  return found.length;
};
