import "server-only";
import { and, eq, inArray, isNotNull, ne, or, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { paymentCustomers, paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PaymentAnswer, PaymentProblem, PaymentSubscription } from "#lib/integrations/payments/port.ts";
import { askProvider } from "./checkout.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { applyFact } from "./events.ts";
import { hasEnded, isCanceling, standingOf, toPaymentError } from "./policy.ts";
import {
  findLiveSubscription,
  findSubscription,
  findSubscriptionView,
  type Subscription,
  type SubscriptionView,
} from "./queries.ts";
import type { HeldSubscriptionInput } from "./schema.ts";

/**
 * Reads a subscription (provider's id) back from the provider and settles what it says, as its event would: what we have
 * stored may wait for that event. Outside of transactions; twice changes nothing.
 * @throws AppError the provider's errors, then nothing is changed
 */
export const refreshSubscription = async (ctx: Ctx<"payments">, { id }: { id: string }): Promise<void> => {
  const subscription = await askProvider(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
};

/** A change of a subscription at the provider. */
interface SubscriptionWrite {
  id: string;
  write: () => Promise<PaymentAnswer<PaymentSubscription>>;
  /** Whether a description of the subscription shows the change. */
  hasHappened: (subscription: PaymentSubscription) => boolean;
  /** What to say to a refusal. */
  refusalText?: (problem: PaymentProblem) => string;
}

const keep = (ctx: Ctx, subscription: PaymentSubscription) =>
  applyFact(ctx, { fact: { kind: "subscription", subscription } });

/**
 * Changes a subscription at the provider and keeps what it says it has become, as an event would. Where the outcome is
 * unknown, or the provider refuses, the subscription is read back: what has happened counts as done, whoever did it. Outside
 * of transactions.
 * @throws AppError `refused`; `provider_unavailable`, its text saying so when it is not certain that nothing was done.
 */
export const writeSubscription = async (ctx: Ctx<"payments">, change: SubscriptionWrite): Promise<void> => {
  const answer = await change.write();
  if (answer.kind === "ok") {
    await keep(ctx, answer.value);
    return;
  }
  const { problem } = answer;
  ctx.log.count(`payments_problem_${problem.kind}`);
  // Nothing was done, and asking more would only be refused as well.
  if (problem.kind === "rate_limited") throw toPaymentError(problem);
  const read = await ctx.payments.getSubscription(change.id);
  if (read.kind === "ok") {
    await keep(ctx, read.value);
    if (change.hasHappened(read.value)) return;
  }
  if (problem.kind === "unavailable") {
    throw new AppError("provider_unavailable", { text: SETTINGS_TEXTS.unknownOutcome });
  }
  throw toPaymentError(problem, change.refusalText?.(problem));
};

/**
 * The actor's subscription, as the provider has it where our row says that its end is scheduled: that may have been taken
 * back there while the event is on its way. One that is canceled stays so, and nobody is asked about it.
 */
const findCurrent = async (ctx: Ctx<"payments">, userId: UserId): Promise<Subscription | null> => {
  const stored = await findSubscription(ctx, userId);
  if (stored?.status === "canceled" || stored?.scheduledAction !== "cancel") return stored;
  await refreshSubscription(ctx, stored);
  return findSubscription(ctx, userId);
};

/**
 * Ends the actor's subscription at the end of its period, and at once when it is paused (R-SET-07, R-SUB-02, A-20).
 * A second time changes nothing and answers the same, once the provider confirms that its end still stands.
 * @throws AppError `wrong_state` for one who never had a subscription; the provider's errors.
 */
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
      hasHappened: ({ status, scheduledChange }) => status === "canceled" || scheduledChange?.action === "cancel",
    });
  }
  const view = await findSubscriptionView(ctx, userId);
  const isOver = standingOf(view.subscription, view.now).status === "canceled";
  return { message: isOver ? SETTINGS_TEXTS.canceledAtOnce : SETTINGS_TEXTS.canceled, view };
};

const keepPlan = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.keepSubscription(id),
    hasHappened: ({ status, scheduledChange }) => status !== "canceled" && scheduledChange === null,
    refusalText: () => SETTINGS_TEXTS.keepFailed,
  });

const restart = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.restartSubscription(id),
    hasHappened: ({ status }) => status !== "paused" && status !== "canceled",
    refusalText: () => SETTINGS_TEXTS.restartFailed,
  });

/**
 * Has the actor's subscription go on: a scheduled end is taken back; one that is paused begins a new period, which is
 * charged at once. A second time changes nothing and answers the same.
 * @throws AppError `wrong_state` when there is none, or it has ended; the provider's errors.
 */
export const resumeSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToKeep });
  }
  const isPaused = subscription.status === "paused";
  await (isPaused ? restart(ctx, subscription.id) : keepPlan(ctx, subscription.id));
  const message = isPaused ? SETTINGS_TEXTS.restarted : SETTINGS_TEXTS.kept;
  return { message, view: await findSubscriptionView(ctx, userId) };
};

const COUNTS = "This plan is the one you have now. Load the page again to see it.";

/** The row, if it is theirs. @throws AppError `not_found` */
const findOwn = async (ctx: Ctx, userId: UserId, id: string): Promise<Subscription> => {
  const isTheirs = and(eq(subscriptions.id, id), eq(subscriptions.userId, userId));
  const [row] = await ctx.db.select().from(subscriptions).where(isTheirs);
  if (!row) throw new AppError("not_found");
  return row;
};

/**
 * Ends a second subscription of the actor's at once, one that is paid beside the one that gives the plan and gives nothing
 * itself. No credit moves, and the plan stays. A second time changes nothing. The one that gives the plan is read back
 * first: if it has ended and its event is on its way, this one is their plan.
 * @throws AppError `not_found` for one that is not the actor's; `wrong_state` for one that gives their plan; the
 * provider's errors
 */
export const cancelHeld = async (ctx: Ctx<"payments">, { id }: HeldSubscriptionInput): Promise<void> => {
  const userId = requireUserId(ctx);
  // Only this state is final; an end that was scheduled may have been taken back at the provider.
  if ((await findOwn(ctx, userId, id)).status === "canceled") return;
  const giving = await findLiveSubscription(ctx, userId);
  if (giving && giving.id !== id) await refreshSubscription(ctx, giving);
  // Since the screen was painted the other one may have ended: then this one gives the plan.
  if ((await findOwn(ctx, userId, id)).heldReason === null) throw new AppError("wrong_state", { text: COUNTS });
  await writeSubscription(ctx, {
    id,
    write: () => ctx.payments.cancelSubscription(id, "now"),
    hasHappened: ({ status }) => status === "canceled",
  });
};

/** Whether it has ended. One that the provider does not know charges nobody either. */
const end = async (ctx: Ctx<"payments">, id: string): Promise<boolean> => {
  let isUnknown = false;
  try {
    await writeSubscription(ctx, {
      id,
      write: async () => {
        const answer = await ctx.payments.cancelSubscription(id, "now");
        isUnknown = answer.kind === "problem" && answer.problem.kind === "not_found";
        return answer;
      },
      hasHappened: ({ status }) => status === "canceled",
    });
    return true;
  } catch (error) {
    if (isUnknown) return true;
    ctx.log.set({ payments_problem: messageOf(error) });
    return false;
  }
};

/**
 * Ends every subscription of a user who deleted their account, at once, at the provider. May run again at any time; one
 * that has ended is left alone. @returns how many could not be ended now: try again.
 */
export const endSubscriptions = async (
  ctx: Ctx<"payments">,
  { userId }: { userId: UserId },
): Promise<{ left: number }> => {
  const rows = await ctx.db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.status, "canceled")));
  let left = 0;
  for (const { id } of rows) if (!(await end(ctx, id))) left += 1;
  return { left };
};

/** Transactions and subscriptions in what the provider told; refunds name nobody. */
const TOLD_TRANSACTION = sql`${paymentEvents.fact} #>> '{transaction,id}'`;
const TOLD_SUBSCRIPTION = sql`${paymentEvents.fact} #>> '{subscription,id}'`;

const forget = async (tx: Ctx, userId: UserId): Promise<void> => {
  const ofUser = { payments: eq(payments.userId, userId), subscriptions: eq(subscriptions.userId, userId) };
  const paid = tx.db.select({ id: payments.id }).from(payments).where(ofUser.payments);
  const had = tx.db.select({ id: subscriptions.id }).from(subscriptions).where(ofUser.subscriptions);
  await tx.db
    .update(paymentEvents)
    .set({ fact: null })
    .where(
      and(
        isNotNull(paymentEvents.appliedAt),
        isNotNull(paymentEvents.fact),
        or(inArray(TOLD_TRANSACTION, paid), inArray(TOLD_SUBSCRIPTION, had)),
      ),
    );
  await tx.db.update(payments).set({ customerId: null, method: null, purchaseId: null }).where(ofUser.payments);
  await tx.db.update(subscriptions).set({ customerId: null }).where(ofUser.subscriptions);
  await tx.db.delete(paymentCustomers).where(eq(paymentCustomers.userId, userId));
  await tx.db.delete(purchases).where(eq(purchases.userId, userId));
};

/**
 * Takes the person out of what a deleted user paid: the provider's customer, the card in words, what was set out to be
 * bought, and what was read out of events. The payments stay with date, amount, invoice number and what they were for, as
 * bookkeeping demands, under an id that names nobody. May run again.
 */
export const forgetPayer = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, (tx) => forget(tx, userId));

/** Deleted users of whom something was told after their erasure: a checkout that was still open, a late renewal. */
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

/**
 * Every night: what reached us about deleted users after they were erased. A subscription of theirs is ended, and the
 * person is taken out again. @returns how many users it was about.
 */
export const retirePayers = async (ctx: Ctx<"payments">): Promise<number> => {
  const found = (await findLeftovers(ctx)).flatMap(({ userId }) => (userId === null ? [] : [userId]));
  for (const userId of found) {
    const { left } = await endSubscriptions(ctx, { userId });
    // Whose subscription it is must stay known until it has ended.
    if (left === 0) await forgetPayer(ctx, { userId });
  }
  return found.length;
};
