import "server-only";
import { eq } from "drizzle-orm";
import { paymentAdjustments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { formatCount } from "#lib/core/text.ts";
import { type GrantKey, restoreGrant, revokeGrant } from "#lib/features/credits/grants.ts";
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
  adjustment.appliedAt = values.appliedAt;
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

/** What was returned of a payment before this adjustment. A reversed chargeback can be returned once more. */
const returnedBefore = (adjustments: readonly Adjustment[], { id, createdAt }: Adjustment): number => {
  const reversals = pairReversals(adjustments);
  return adjustments
    .filter((item) => item.id !== id && item.appliedAt !== null && takesCredits(item))
    .filter((item) => !((reversals.get(item)?.createdAt ?? createdAt) < createdAt))
    .reduce((sum, { totalMinor }) => sum + totalMinor, 0);
};

const revokeCredits = async (
  tx: Ctx,
  userId: UserId,
  adjustment: Adjustment,
  { payment, grant, before }: { payment: Payment; grant: Grant; before: number },
): Promise<number> => {
  const { id, action, totalMinor: refundMinor } = adjustment;
  const credits = refundShare(grant.credits, { totalMinor: payment.totalMinor, before, refundMinor });
  const note = action === "refund" ? `Refunded: ${grant.name}` : `Removed after a chargeback: ${grant.name}`;
  return (await revokeGrant(tx, { userId, adjustmentId: id, of: grant.of, credits, note })).credits;
};

/** In the order of the facts. A reversal waits for its chargeback. */
const applyAdjustments = async (
  tx: Ctx,
  userId: UserId,
  adjustments: Adjustment[],
  { payment, grant }: { payment: Payment; grant: Grant },
): Promise<void> => {
  const chargebacks = new Map([...pairReversals(adjustments)].map(([chargeback, reversal]) => [reversal, chargeback]));
  for (const adjustment of adjustments.filter(({ appliedAt }) => appliedAt === null)) {
    const chargeback = chargebacks.get(adjustment);
    if (takesCredits(adjustment)) {
      const before = returnedBefore(adjustments, adjustment);
      await markApplied(tx, adjustment, await revokeCredits(tx, userId, adjustment, { payment, grant, before }));
    } else if (chargeback) {
      const restored = await restoreGrant(tx, { userId, revocationId: chargeback.id, note: `Restored: ${grant.name}` });
      await markApplied(tx, adjustment, 0 - restored.credits);
    }
  }
};

/** A refund that failed at the bank after it took credits. */
const restoreFailedRefunds = async (tx: Ctx, userId: UserId, adjustments: readonly Adjustment[], grant: Grant) => {
  const failed = adjustments.filter(({ action, status }) => action === "refund" && status === "reversed");
  for (const { id } of failed) await restoreGrant(tx, { userId, revocationId: id, note: `Restored: ${grant.name}` });
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
  }
};

/** Partial refunds together take what one of their sum would. `before`: refunded so far, in the smallest unit. */
const refundShare = (
  credits: number,
  { totalMinor, before, refundMinor }: { totalMinor: number; before: number; refundMinor: number },
): number => {
  const upTo = (amount: number): number =>
    totalMinor <= 0 ? credits : Math.min(credits, Math.round((credits * amount) / totalMinor));
  return totalMinor <= 0 && before > 0 ? 0 : Math.max(0, upTo(before + refundMinor) - upTo(before));
};
