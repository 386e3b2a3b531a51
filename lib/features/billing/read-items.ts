import "server-only";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { OFFERS, type Offer, PACKS_MAX, PLAN_ORDER } from "./constants.ts";

/** What a transaction is for, by our own table. `other`: nothing we sell, or not in a way we sell it. */
export interface Sold {
  kind: "plan" | "pack" | "other";
  /** The plan that is paid for, or the plan at whose price the packs are. */
  plan: PlanSlug | null;
  /** Credits of all packs together; 0 for a plan. */
  credits: number;
}

const NOTHING: Sold = { kind: "other", plan: null, credits: 0 };

const largest = (plans: readonly PlanSlug[]): PlanSlug | null =>
  PLAN_ORDER.findLast((plan) => plans.includes(plan)) ?? null;

/**
 * What is sold by some items: decided by their price ids alone, never by amounts (R-PAY-01, R-PAY-03). Packs may come in
 * numbers from 1 to 10, plans once; a mixture, an unknown price or another number is `other`.
 * @param prices price ids by the names of our offers, also those at which they are sold no more
 */
export const readItems = (
  prices: Readonly<Record<string, readonly string[]>>,
  items: readonly { priceId: string; quantity: number }[],
): Sold => {
  const names = new Map(Object.entries(prices).flatMap(([name, ids]) => ids.map((id) => [id, name])));
  const offerOf = (priceId: string): Offer | undefined =>
    [...OFFERS].find(([name]) => name === names.get(priceId))?.[1];
  const sold = items.map(({ priceId, quantity }) => ({ offer: offerOf(priceId), quantity }));
  const plans = sold.flatMap(({ offer }) => (offer?.kind === "plan" ? [offer.plan] : []));
  const packs = sold.flatMap(({ offer, quantity }) => (offer?.kind === "pack" ? [{ ...offer, quantity }] : []));
  if (sold.length > 0 && plans.length === sold.length) {
    return sold.every(({ quantity }) => quantity === 1) ? { kind: "plan", plan: largest(plans), credits: 0 } : NOTHING;
  }
  const isWhole = packs.every(({ quantity }) => Number.isInteger(quantity) && quantity >= 1);
  const number = packs.reduce((sum, { quantity }) => sum + quantity, 0);
  if (packs.length === 0 || packs.length < sold.length || !isWhole || number > PACKS_MAX) return NOTHING;
  return {
    kind: "pack",
    plan: largest(packs.map(({ plan }) => plan)),
    credits: packs.reduce((sum, { credits, quantity }) => sum + credits * quantity, 0),
  };
};
