import "server-only";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { paymentAdjustments, payments, subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { openPaidPeriod } from "#lib/features/credits/open-paid-period.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import type { LockedUser } from "#lib/features/identity/lock-user.ts";
import { setPlan } from "#lib/features/identity/set-plan.ts";
import { decidePlan, type PlanDecision } from "./decide-plan.ts";
import { holdPayment } from "./hold-payment.ts";
import type { Facts, Subscription } from "./queries.ts";
import type { PaidPeriod } from "./sum-periods.ts";

interface Input {
  userId: UserId;
  user: LockedUser;
  facts: Facts;
  periods: readonly PaidPeriod[];
}

/**
 * Notes which subscriptions give nothing; support is told by their payments. One of which every payment was closed stays
 * as it was: it goes on beside the other until it is canceled.
 */
const holdSubscriptions = async (
  tx: Ctx,
  rows: readonly Subscription[],
  { heldIds, held, counting }: PlanDecision,
): Promise<void> => {
  const paid = [...held, ...counting].map(({ subscriptionId }) => subscriptionId);
  for (const { id, heldReason } of rows.filter((row) => paid.includes(row.id))) {
    const reason = heldIds.includes(id) ? ("second_subscription" as const) : null;
    if (reason === heldReason) continue;
    await tx.db.update(subscriptions).set({ heldReason: reason }).where(eq(subscriptions.id, id));
  }
};

/**
 * Gives a paid period what is missing of its allowance. One that is over would have expired with it; one of a plan that
 * has ended comes back no more.
 */
const openNewest = async (tx: Ctx, userId: UserId, newest: PaidPeriod, isGiving: boolean): Promise<void> => {
  const given = newest.payments.filter(({ grantedAt }) => grantedAt !== null);
  if (newest.endsAt <= tx.now() || (!isGiving && given.length === newest.payments.length)) return;
  const { name, creditsPerPeriod } = PLANS[newest.plan];
  await openPaidPeriod(tx, {
    userId,
    subscriptionId: newest.subscriptionId,
    startsAt: newest.startsAt,
    credits: creditsPerPeriod,
    note: given.length > 0 ? `More monthly credits: ${name} plan` : `Monthly credits of the ${name} plan`,
    mayReturn: isGiving,
  });
};

/** What was given before an older subscription became known: that one's allowance is in its place now. */
const takeMark = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db
    .update(payments)
    .set({ grantedAt: null })
    .where(inArray(payments.id, [...ids]));
  // Asked once more when it is given again; the ledger knows what each took.
  await tx.db
    .update(paymentAdjustments)
    .set({ appliedAt: null })
    .where(inArray(paymentAdjustments.transactionId, [...ids]));
};

const holdPeriods = async (tx: Ctx, userId: UserId, held: readonly PaidPeriod[]): Promise<LetterId[]> => {
  const paid = held.flatMap((period) => period.payments);
  await takeMark(
    tx,
    paid.flatMap(({ id, grantedAt }) => (grantedAt ? [id] : [])),
  );
  const letterIds: LetterId[] = [];
  for (const payment of paid)
    letterIds.push(...(await holdPayment(tx, { userId, payment, reason: "second_subscription" })));
  return letterIds;
};

const markGiven = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db
    .update(payments)
    .set({ grantedAt: tx.now(), heldReason: null })
    .where(and(inArray(payments.id, [...ids]), isNull(payments.grantedAt)));
};

/**
 * Writes down the plan that follows from the paid periods, and gives the newest of them its allowance. What was paid
 * for an older period counts as given; what was paid for a second subscription is held. @returns reports to support
 */
export const settlePlan = async (tx: Ctx, { userId, user, facts, periods }: Input): Promise<LetterId[]> => {
  const decision = decidePlan(facts.subscriptions, periods, tx.now());
  const { plan, held, counting, newest } = decision;
  // The plan first: a free one would end, at the next need, the allowance that is given here.
  const isSame = plan?.plan === user.plan && plan.planEndsAt?.getTime() === user.planEndsAt?.getTime();
  if (plan && !isSame) await setPlan(tx, { userId, ...plan });
  await holdSubscriptions(tx, facts.subscriptions, decision);
  const letterIds = await holdPeriods(tx, userId, held);
  if (newest) await openNewest(tx, userId, newest, plan !== null && plan.plan !== "free");
  const open = counting.flatMap((period) => period.payments.filter(({ grantedAt }) => grantedAt === null));
  await markGiven(
    tx,
    open.map(({ id }) => id),
  );
  return letterIds;
};
