// What plans and packs cost, give and allow. Imports lib/core only, so that every feature may ask here.
import { formatDollars } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";

export type PlanSlug = "free" | "basic" | "growth" | "pro";

type Plan = {
  name: string;
  /** A month, in tenths of a cent. */
  priceTenthsOfCent: number;
  /** What one credit beyond the allowance costs, in tenths of a cent. */
  extraCreditTenthsOfCent: number;
  creditsPerPeriod: number;
  /** Pinterest accounts that can be connected. */
  accounts: number;
};

/** The four plans (R-CONST-03 to R-CONST-06, R-ACC-12). */
export const PLANS = {
  free: { name: "Free", priceTenthsOfCent: 0, extraCreditTenthsOfCent: 60, creditsPerPeriod: 5, accounts: 1 },
  basic: { name: "Basic", priceTenthsOfCent: 29_000, extraCreditTenthsOfCent: 50, creditsPerPeriod: 400, accounts: 3 },
  growth: {
    name: "Growth",
    priceTenthsOfCent: 49_000,
    extraCreditTenthsOfCent: 45,
    creditsPerPeriod: 1000,
    accounts: 5,
  },
  pro: { name: "Pro", priceTenthsOfCent: 79_000, extraCreditTenthsOfCent: 40, creditsPerPeriod: 2500, accounts: 7 },
} as const satisfies Record<PlanSlug, Plan>;

/** Credits of the free plan in each calendar month. */
export const FREE_ALLOWANCE = PLANS.free.creditsPerPeriod;

/** The plan that counts at a moment: a paid one until it ends, then the free one (R-SUB-06, A-95). */
export const planAt = ({ plan, planEndsAt }: { plan: PlanSlug; planEndsAt: Date | null }, at: Date): PlanSlug =>
  planEndsAt !== null && planEndsAt <= at ? "free" : plan;

/** Whether a plan has room for one more connected account (R-ACC-12); over the limit nothing is removed. */
export const hasRoomForAccount = (plan: PlanSlug, connectedCount: number): boolean =>
  connectedCount < PLANS[plan].accounts;

/** Packs of extra credits (R-CONST-07). */
export const PACK_CREDITS = [100, 300, 500, 1000, 1500, 2000, 3000] as const;
export type PackCredits = (typeof PACK_CREDITS)[number];

/** The pack that is marked, and no other (R-BUY-06). */
export const POPULAR_PACK = 500;

/** A plan as the pricing page shows it (R-PRICE-03). */
export type PlanCard = {
  id: PlanSlug;
  name: string;
  priceTenthsOfCent: number;
  description: string;
  features: readonly string[];
  /** For somebody who has not this plan. */
  buttonText: string;
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
    `${formatCount(creditsPerPeriod)} credits a month`,
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
  buttonText: id === "free" ? "Start free" : `Upgrade to ${PLANS[id].name}`,
  isPopular: id === "basic",
}));

const SLUGS = ["free", "basic", "growth", "pro"] as const satisfies readonly PlanSlug[];

/** Plans that cost something. */
export type PaidPlanSlug = Exclude<PlanSlug, "free">;
export const PAID_PLANS = ["basic", "growth", "pro"] as const satisfies readonly PaidPlanSlug[];

/** What can be bought: a paid plan for a month, or a pack of credits at the price of a plan (R-PAY-01). */
export type Offer =
  | { kind: "plan"; plan: PaidPlanSlug; amountTenthsOfCent: number }
  | { kind: "pack"; plan: PlanSlug; credits: PackCredits; amountTenthsOfCent: number };

/** The name of an offer in PADDLE_PRICES: `plan:basic`, `pack:free:100`. */
export type PriceKey = `plan:${PaidPlanSlug}` | `pack:${PlanSlug}:${PackCredits}`;

/** The offer of a plan. */
export const planKey = (plan: PaidPlanSlug): PriceKey => `plan:${plan}`;

/** The offer of a pack at the price of a plan. */
export const packKey = (plan: PlanSlug, credits: PackCredits): PriceKey => `pack:${plan}:${credits}`;

const PLAN_OFFERS = PAID_PLANS.map((plan): [PriceKey, Offer] => [
  planKey(plan),
  { kind: "plan", plan, amountTenthsOfCent: PLANS[plan].priceTenthsOfCent },
]);

const PACK_OFFERS = SLUGS.flatMap((plan) =>
  PACK_CREDITS.map((credits): [PriceKey, Offer] => [
    packKey(plan, credits),
    // A discount of nothing (R-BUY-07).
    { kind: "pack", plan, credits, amountTenthsOfCent: PLANS[plan].extraCreditTenthsOfCent * credits },
  ]),
);

/** The one table of what is sold: 3 plans and 28 packs, by their names. */
export const OFFERS: ReadonlyMap<PriceKey, Offer> = new Map([...PLAN_OFFERS, ...PACK_OFFERS]);

/** The 31 names that PADDLE_PRICES must give an id for. */
export const PRICE_KEYS: readonly PriceKey[] = [...OFFERS.keys()];

/** The plans from the smallest to the largest. */
export const PLAN_ORDER: readonly PlanSlug[] = SLUGS;

/** What Buy Credits shows until it is known, and where the subscription cannot be read (R-BUY-15, R-BUY-16, A-23). */
export const DEFAULT_PLAN: PlanSlug = "basic";
