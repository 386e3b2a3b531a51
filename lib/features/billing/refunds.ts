import "server-only";
import { eq } from "drizzle-orm";
import { paymentAdjustments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { formatCount } from "#lib/core/text.ts";
import { type GrantKey, restoreGrant, revokeGrant } from "#lib/features/credits/grants.ts";
import { RAISE_ORIGIN } from "./constants.ts";
import { PLANS } from "./plans.ts";
import { type Adjustment, findFacts, type PaidPeriod, type Payment, sumPeriods } from "./queries.ts";

/** What a payment gave: which grant, so many credits, and its name for people. */
interface Given {
  of: GrantKey;
  credits: number;
  name: string;
}

/** A refund counts once it is approved; a chargeback at once, unless it came to nothing. */
const takes = ({ action, status }: Adjustment): boolean =>
  (action === "refund" && status === "approved") || (action === "chargeback" && status !== "rejected");

const isRaise = ({ origin }: Payment): boolean => origin === RAISE_ORIGIN;

/** What the month gave already when it was paid for: a raise gave the difference to the largest plan before it. */
const creditsBefore = (payment: Payment, { payments }: PaidPeriod): number => {
  const inOrder = payments.toSorted(
    (one, other) =>
      Number(isRaise(one)) - Number(isRaise(other)) ||
      one.createdAt.getTime() - other.createdAt.getTime() ||
      one.id.localeCompare(other.id),
  );
  const before = inOrder.slice(
    0,
    inOrder.findIndex(({ id }) => id === payment.id),
  );
  return Math.max(0, ...before.map(({ plan }) => (plan ? PLANS[plan].creditsPerPeriod : 0)));
};

const givenBy = (payment: Payment, periods: readonly PaidPeriod[]): Given | null => {
  if (payment.kind === "pack") {
    const { id: transactionId, credits } = payment;
    return { of: { kind: "pack", transactionId }, credits, name: `${formatCount(credits)} credits` };
  }
  const period = periods.find(({ payments }) => payments.some(({ id }) => id === payment.id));
  if (!period || !payment.plan) return null;
  const { name, creditsPerPeriod } = PLANS[payment.plan];
  const { subscriptionId, startsAt } = period;
  const of: GrantKey = { kind: "plan", subscriptionId, startsAt };
  return { of, credits: Math.max(0, creditsPerPeriod - creditsBefore(payment, period)), name: `${name} plan` };
};

const mark = async (tx: Ctx, { id }: Adjustment, credits: number): Promise<void> => {
  const values = { appliedAt: tx.now(), credits };
  await tx.db.update(paymentAdjustments).set(values).where(eq(paymentAdjustments.id, id));
};

const takeBack = async (tx: Ctx, userId: UserId, own: readonly Adjustment[], payment: Payment, given: Given) => {
  let before = own
    .filter((one) => one.appliedAt !== null && takes(one))
    .reduce((sum, { totalMinor }) => sum + totalMinor, 0);
  for (const adjustment of own.filter((one) => one.appliedAt === null && takes(one))) {
    const { id, action, totalMinor: refundMinor } = adjustment;
    const credits = shareRefund(given.credits, { totalMinor: payment.totalMinor, before, refundMinor });
    const note = action === "refund" ? `Refunded: ${given.name}` : `Taken back after a chargeback: ${given.name}`;
    const taken = await revokeGrant(tx, { userId, adjustmentId: id, of: given.of, credits, note });
    await mark(tx, adjustment, taken.credits);
    before += refundMinor;
  }
};

/** A reversal is paired with the earliest chargeback of its payment that no other one reversed. */
const giveBack = async (tx: Ctx, userId: UserId, own: readonly Adjustment[], given: Given) => {
  const chargebacks = own.filter((one) => one.action === "chargeback" && takes(one));
  const reversals = own.filter(({ action }) => action === "chargeback_reverse");
  for (const [index, reversal] of reversals.entries()) {
    const chargeback = chargebacks[index];
    if (reversal.appliedAt !== null || !chargeback) continue;
    const note = `Given back: ${given.name}`;
    const restored = await restoreGrant(tx, { userId, revocationId: chargeback.id, note });
    await mark(tx, reversal, 0 - restored.credits);
  }
};

/**
 * Takes back what is left of what refunded payments gave, and gives it again when a chargeback was reversed; each once.
 * What comes before its payment waits for it (DESIGN §6).
 */
export const settleAdjustments = async (tx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  // Read again: payments that were given a moment ago count.
  const { payments, subscriptions, adjustments } = await findFacts(tx, userId);
  const periods = sumPeriods({ payments, subscriptions });
  for (const payment of payments) {
    const own = adjustments.filter(({ transactionId }) => transactionId === payment.id);
    const given = payment.grantedAt && own.length > 0 ? givenBy(payment, periods) : null;
    if (!given) continue;
    await takeBack(tx, userId, own, payment, given);
    await giveBack(tx, userId, own, given);
  }
};

/**
 * The credits that one refund takes of what a payment gave, in proportion of its amount. Several refunds of one payment
 * together take what one refund of their sum would, whatever the order; never more than was given.
 * @param before what was refunded of it already, in the currency's smallest unit
 */
const shareRefund = (
  credits: number,
  { totalMinor, before, refundMinor }: { totalMinor: number; before: number; refundMinor: number },
): number => {
  const upTo = (amount: number): number =>
    totalMinor <= 0 ? credits : Math.min(credits, Math.round((credits * amount) / totalMinor));
  return totalMinor <= 0 && before > 0 ? 0 : Math.max(0, upTo(before + refundMinor) - upTo(before));
};
