import "server-only";
import { eq } from "drizzle-orm";
import { paymentAdjustments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { formatCount } from "#lib/core/text.ts";
import { type GrantKey, restoreGrant, revokeGrant, sumDemanded } from "#lib/features/credits/grants.ts";
import { PLANS } from "./plans.ts";
import { creditsByPayment } from "./policy.ts";
import { type Adjustment, derivePeriods, findFacts, type PaidPeriod, type Payment } from "./queries.ts";

interface Grant {
  of: GrantKey;
  credits: number;
  name: string;
}

const takesCredits = ({ action, status }: Adjustment): boolean =>
  (action === "refund" && status === "approved") || (action === "chargeback" && status !== "rejected");

const findGrant = (payment: Payment, periods: readonly PaidPeriod[]): Grant | null => {
  if (payment.kind === "pack") {
    const { id: transactionId, credits } = payment;
    return { of: { kind: "pack", transactionId }, credits, name: `${formatCount(credits)} credits` };
  }
  const period = periods.find(({ payments }) => payments.some(({ id }) => id === payment.id));
  if (!period || !payment.plan) return null;
  const { subscriptionId, startsAt } = period;
  const of: GrantKey = { kind: "plan", subscriptionId, startsAt };
  const credits = creditsByPayment(period).get(payment.id) ?? 0;
  return { of, credits, name: `${PLANS[payment.plan].name} plan` };
};

const markApplied = async (tx: Ctx, adjustment: Adjustment, credits: number): Promise<void> => {
  const values = { appliedAt: tx.now(), credits };
  await tx.db.update(paymentAdjustments).set(values).where(eq(paymentAdjustments.id, adjustment.id));
  Object.assign(adjustment, values);
};

/** By chargeback. A reversal belongs to the earliest one before it that is not reversed yet. */
const pairReversals = (adjustments: readonly Adjustment[]): Map<Adjustment, Adjustment> => {
  const chargebacks = adjustments.filter((item) => item.action === "chargeback" && takesCredits(item));
  const reversals = adjustments.filter(({ action }) => action === "chargeback_reverse");
  const pairs = new Map<Adjustment, Adjustment>();
  for (const reversal of reversals) {
    const chargeback = chargebacks.find((item) => !pairs.has(item) && item.createdAt <= reversal.createdAt);
    if (chargeback) pairs.set(chargeback, reversal);
  }
  return pairs;
};

/** Applied, and not restored by a reversal or a failed refund. */
const findStanding = (adjustments: readonly Adjustment[]): Adjustment[] => {
  const reversals = pairReversals(adjustments);
  const isReversed = (item: Adjustment) => (reversals.get(item)?.appliedAt ?? null) !== null;
  return adjustments.filter((item) => item.appliedAt !== null && takesCredits(item) && !isReversed(item));
};

const sumMinor = (adjustments: readonly Adjustment[]): number =>
  adjustments.reduce((sum, { totalMinor }) => sum + totalMinor, 0);

const revokeCredits = async (
  tx: Ctx,
  userId: UserId,
  adjustment: Adjustment,
  { id, credits, grant }: { id: string; credits: number; grant: Grant },
): Promise<number> => {
  const note = adjustment.action === "refund" ? `Refunded: ${grant.name}` : `Removed after a chargeback: ${grant.name}`;
  return (await revokeGrant(tx, { userId, adjustmentId: id, of: grant.of, credits, note })).credits;
};

/** `restored`: how many adjustments of the payment were restored before this second revocation. */
const secondRevocationId = ({ id }: Adjustment, restored: number): string => `${id}:after:${restored}`;

const restoreCredits = async (
  tx: Ctx,
  userId: UserId,
  adjustment: Adjustment,
  { all, grant }: { all: readonly Adjustment[]; grant: Grant },
): Promise<number> => {
  const ids = [adjustment.id, ...all.map((_, index) => secondRevocationId(adjustment, index + 1))];
  let credits = 0;
  for (const revocationId of ids) {
    credits += (await restoreGrant(tx, { userId, revocationId, note: `Restored: ${grant.name}` })).credits;
  }
  return credits;
};

/** In the order of the facts. A reversal waits for its chargeback. */
const applyAdjustments = async (
  tx: Ctx,
  userId: UserId,
  all: Adjustment[],
  { payment, grant }: { payment: Payment; grant: Grant },
): Promise<void> => {
  const chargebacks = new Map([...pairReversals(all)].map(([chargeback, reversal]) => [reversal, chargeback]));
  for (const adjustment of all.filter(({ appliedAt }) => appliedAt === null)) {
    const chargeback = chargebacks.get(adjustment);
    if (takesCredits(adjustment)) {
      const before = sumMinor(findStanding(all));
      const upTo = (amount: number) => creditsOfAmount(grant.credits, payment.totalMinor, amount);
      const credits = upTo(before + adjustment.totalMinor) - upTo(before);
      const { id } = adjustment;
      await markApplied(tx, adjustment, await revokeCredits(tx, userId, adjustment, { id, credits, grant }));
    } else if (chargeback) {
      await markApplied(tx, adjustment, 0 - (await restoreCredits(tx, userId, chargeback, { all, grant })));
    }
  }
};

/** A refund that failed at the bank after it took credits. */
const restoreFailedRefunds = async (tx: Ctx, userId: UserId, all: readonly Adjustment[], grant: Grant) => {
  const failed = all.filter(({ action, status }) => action === "refund" && status === "reversed");
  for (const adjustment of failed) await restoreCredits(tx, userId, adjustment, { all, grant });
};

/**
 * A return that was applied before we learned that an earlier one was reversed took too little. It now takes the
 * restored credits.
 */
const takeRestored = async (
  tx: Ctx,
  userId: UserId,
  all: readonly Adjustment[],
  { payment, grant }: { payment: Payment; grant: Grant },
): Promise<void> => {
  const standing = findStanding(all);
  const newest = standing.at(-1);
  const restored = all.filter(({ appliedAt }) => appliedAt !== null).length - standing.length;
  if (!newest || restored === 0) return;
  const ids = standing.flatMap((item) => [item.id, ...all.map((_, index) => secondRevocationId(item, index + 1))]);
  const due = creditsOfAmount(grant.credits, payment.totalMinor, sumMinor(standing));
  const credits = due - (await sumDemanded(tx, userId, ids));
  if (credits <= 0) return;
  const id = secondRevocationId(newest, restored);
  const taken = newest.credits + (await revokeCredits(tx, userId, newest, { id, credits, grant }));
  await markApplied(tx, newest, taken);
};

/** Once each. An adjustment that arrives before its payment waits for it. */
export const settleAdjustments = async (tx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  // Read again to include payments granted just now.
  const { payments, subscriptions, adjustments } = await findFacts(tx, userId);
  const periods = derivePeriods({ payments, subscriptions });
  for (const payment of payments) {
    const own = adjustments.filter(({ transactionId }) => transactionId === payment.id);
    const grant = payment.grantedAt && own.length > 0 ? findGrant(payment, periods) : null;
    if (!grant) continue;
    await applyAdjustments(tx, userId, own, { payment, grant });
    await restoreFailedRefunds(tx, userId, own, grant);
    await takeRestored(tx, userId, own, { payment, grant });
  }
};

/** Partial refunds together take what one of their sum would. */
const creditsOfAmount = (credits: number, totalMinor: number, amountMinor: number): number =>
  totalMinor <= 0 ? 0 : Math.min(credits, Math.round((credits * amountMinor) / totalMinor));
