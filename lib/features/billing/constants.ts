import { formatDollars } from "#lib/core/money.ts";
import { PLANS, type PlanSlug } from "#lib/features/identity/constants.ts";

/** Days in which a subscription fee is paid back on request; credit packs are not (R-CONST-08, A-07, A-08). */
export const REFUND_WINDOW_DAYS = { monthly: 14, annual: 30 } as const;

/** R-CONST-09 */
export const REFUND_REVIEW_BUSINESS_DAYS = 2;

/** Business days until the money arrives, by the way it was paid (R-CONST-10). */
export const REFUND_TRANSIT_BUSINESS_DAYS = { card: "5-10", paypal: "3-5", bankTransfer: "5-7" } as const;

/** Packs of extra credits (R-CONST-07). */
export const PACK_CREDITS = [100, 300, 500, 1000, 1500, 2000, 3000] as const;

/** The pack that is marked, and no other (R-BUY-06). */
export const POPULAR_PACK = 500;

/** A plan as the pricing page shows it (R-PRICE-03). */
export type PlanCard = {
  id: PlanSlug;
  name: string;
  priceTenthsOfCent: number;
  description: string;
  features: readonly string[];
  isPopular: boolean;
};

const TEXTS: Record<PlanSlug, { description: string; support?: string }> = {
  free: { description: "Try every part of it, a few pins a month." },
  basic: { description: "For a creator who pins every day.", support: "Priority e-mail support" },
  growth: { description: "For a shop or a blog with several profiles." },
  pro: { description: "For those who pin for others.", support: "Priority support 24/7" },
};

/** What a plan gives, in a line each. */
const featuresOf = (id: PlanSlug): readonly string[] => {
  const { creditsPerPeriod, accounts, extraCreditTenthsOfCent } = PLANS[id];
  const { support } = TEXTS[id];
  return [
    `${creditsPerPeriod.toLocaleString("en-US")} credits a month`,
    `${accounts} Pinterest ${accounts === 1 ? "account" : "accounts"}`,
    `Extra credits at ${formatDollars(extraCreditTenthsOfCent)} each`,
    ...(support ? [support] : []),
  ];
};

/** The four cards in their order: R-PRICE-04 to R-PRICE-07. */
export const PLAN_CARDS: readonly PlanCard[] = (["free", "basic", "growth", "pro"] as const).map((id) => ({
  id,
  name: PLANS[id].name,
  priceTenthsOfCent: PLANS[id].priceTenthsOfCent,
  description: TEXTS[id].description,
  features: featuresOf(id),
  isPopular: id === "basic",
}));
