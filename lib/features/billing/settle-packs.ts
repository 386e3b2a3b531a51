import "server-only";
import { eq } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { grantPurchase } from "#lib/features/credits/grant-purchase.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { holdPayment } from "./hold-payment.ts";
import { judgePack } from "./judge-pack.ts";
import type { Facts } from "./queries.ts";
import type { PaidPeriod } from "./sum-periods.ts";

interface Input {
  userId: UserId;
  facts: Facts;
  periods: readonly PaidPeriod[];
  givenPlan: PlanSlug | null;
}

/**
 * Gives the credits of packs that are paid and not given yet: once each, by our own table; a pack at a price that its
 * buyer may not buy at is held (R-PAY-03, A-58). @returns reports to support
 */
export const settlePacks = async (tx: Ctx, { userId, facts, periods, givenPlan }: Input): Promise<LetterId[]> => {
  const letterIds: LetterId[] = [];
  for (const payment of facts.payments) {
    const { id, kind, credits, purchaseId, grantedAt } = payment;
    if (kind !== "pack" || grantedAt) continue;
    const purchase = facts.purchases.find((one) => one.id === purchaseId);
    if (!judgePack(payment, { purchase, periods, givenPlan })) {
      letterIds.push(...(await holdPayment(tx, { userId, payment, reason: "foreign_price" })));
      continue;
    }
    const note = `Bought: ${formatCount(credits)} credits`;
    await grantPurchase(tx, { userId, transactionId: id, credits, note });
    await tx.db.update(payments).set({ grantedAt: tx.now(), heldReason: null }).where(eq(payments.id, id));
  }
  return letterIds;
};
