import "server-only";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { PLAN_ORDER, PURCHASE_LIFE_MS } from "./constants.ts";
import type { Payment, Purchase } from "./queries.ts";
import type { PaidPeriod } from "./sum-periods.ts";

/** What may entitle somebody to the price of a plan. */
export interface Entitlement {
  /** The purchase that was recorded before the checkout opened. */
  purchase: Purchase | undefined;
  periods: readonly PaidPeriod[];
  /** The plan of one who never paid for any: an operator may have given it. */
  givenPlan: PlanSlug | null;
}

/** Paid soon enough after it was written down; the checkout may have stood open for weeks. */
const isRecorded = ({ plan, createdAt, paidAt }: Payment, purchase: Purchase | undefined): boolean =>
  purchase?.kind === "pack" &&
  purchase.plan === plan &&
  (paidAt ?? createdAt).getTime() - purchase.createdAt.getTime() <= PURCHASE_LIFE_MS;

/**
 * Whether a pack was bought at a price that its buyer may buy at: the one that was recorded for them, or that of a plan
 * no larger than one they had paid for when they bought it or have paid for since. A price dearer than need be is fine:
 * it was paid. More payments never make less of this, so the order in which they become known does not matter.
 */
export const judgePack = (payment: Payment, { purchase, periods, givenPlan }: Entitlement): boolean => {
  if (isRecorded(payment, purchase)) return true;
  const entitling: PlanSlug[] = ["free", ...(givenPlan ? [givenPlan] : [])];
  for (const { plan, endsAt } of periods) if (endsAt > payment.createdAt) entitling.push(plan);
  const wanted = payment.plan === null ? Number.POSITIVE_INFINITY : PLAN_ORDER.indexOf(payment.plan);
  return entitling.some((plan) => PLAN_ORDER.indexOf(plan) >= wanted);
};
