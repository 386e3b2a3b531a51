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

const markApplied = async (tx: Ctx, { id }: Adjustment, credits: number): Promise<void> => {
  const values = { appliedAt: tx.now(), credits };
  await tx.db.update(paymentAdjustments).set(values).where(eq(paymentAdjustments.id, id));
};

const revokeCredits = async (
  tx: Ctx,
  userId: UserId,
  adjustments: readonly Adjustment[],
  payment: Payment,
  grant: Grant,
) => {
  let before = adjustments
    .filter((item) => item.appliedAt !== null && takesCredits(item))
    .reduce((sum, { totalMinor }) => sum + totalMinor, 0);
  for (const adjustment of adjustments.filter((item) => item.appliedAt === null && takesCredits(item))) {
    const { id, action, totalMinor: refundMinor } = adjustment;
    const credits = refundShare(grant.credits, { totalMinor: payment.totalMinor, before, refundMinor });
    const note = action === "refund" ? `Refunded: ${grant.name}` : `Removed after a chargeback: ${grant.name}`;
    const taken = await revokeGrant(tx, { userId, adjustmentId: id, of: grant.of, credits, note });
    await markApplied(tx, adjustment, taken.credits);
    before += refundMinor;
  }
};

/** A reversal belongs to the earliest chargeback of its payment that is not reversed yet. */
const restoreCredits = async (tx: Ctx, userId: UserId, adjustments: readonly Adjustment[], grant: Grant) => {
  const chargebacks = adjustments.filter((item) => item.action === "chargeback" && takesCredits(item));
  const reversals = adjustments.filter(({ action }) => action === "chargeback_reverse");
  for (const [index, reversal] of reversals.entries()) {
    const chargeback = chargebacks[index];
    if (reversal.appliedAt !== null || !chargeback) continue;
    const note = `Restored: ${grant.name}`;
    const restored = await restoreGrant(tx, { userId, revocationId: chargeback.id, note });
    await markApplied(tx, reversal, 0 - restored.credits);
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
    await revokeCredits(tx, userId, own, payment, grant);
    await restoreCredits(tx, userId, own, grant);
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
