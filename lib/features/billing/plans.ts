// Imports only lib/core so that every feature can use it.
import { formatDollars } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";

export type PlanSlug = "free" | "basic" | "growth" | "pro";

type Plan = {
  name: string;
  /** Per month, in tenths of a cent. */
  priceTenthsOfCent: number;
  /** In tenths of a cent. */
  extraCreditTenthsOfCent: number;
  creditsPerPeriod: number;
  accounts: number;
};

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

export const FREE_ALLOWANCE = PLANS.free.creditsPerPeriod;

export const planAt = ({ plan, planEndsAt }: { plan: PlanSlug; planEndsAt: Date | null }, at: Date): PlanSlug =>
  planEndsAt !== null && planEndsAt <= at ? "free" : plan;

/** Accounts over the limit of a smaller plan stay connected. */
export const allowsAnotherAccount = (plan: PlanSlug, connectedCount: number): boolean =>
  connectedCount < PLANS[plan].accounts;

export const PACK_CREDITS = [100, 300, 500, 1000, 1500, 2000, 3000] as const;
export type PackCredits = (typeof PACK_CREDITS)[number];

export const POPULAR_PACK = 500;

export type PlanCard = {
  id: PlanSlug;
  name: string;
  priceTenthsOfCent: number;
  description: string;
  features: readonly string[];
  buttonText: string;
  isPopular: boolean;
};

const TEXTS: Record<PlanSlug, { description: string; support?: string }> = {
  free: { description: "Try everything with a few pins a month." },
  basic: { description: "For creators who pin every day.", support: "Priority email support" },
  growth: { description: "For shops and blogs with several profiles." },
  pro: { description: "For people who pin for clients.", support: "Priority support 24/7" },
};

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

export type PaidPlanSlug = Exclude<PlanSlug, "free">;
export const PAID_PLANS = ["basic", "growth", "pro"] as const satisfies readonly PaidPlanSlug[];

export type Offer =
  | { kind: "plan"; plan: PaidPlanSlug; amountTenthsOfCent: number }
  | { kind: "pack"; plan: PlanSlug; credits: PackCredits; amountTenthsOfCent: number };

/** The key in PADDLE_PRICES, such as `plan:basic` or `pack:free:100`. */
export type PriceKey = `plan:${PaidPlanSlug}` | `pack:${PlanSlug}:${PackCredits}`;

export const planKey = (plan: PaidPlanSlug): PriceKey => `plan:${plan}`;

export const packKey = (plan: PlanSlug, credits: PackCredits): PriceKey => `pack:${plan}:${credits}`;

const PLAN_OFFERS = PAID_PLANS.map((plan): [PriceKey, Offer] => [
  planKey(plan),
  { kind: "plan", plan, amountTenthsOfCent: PLANS[plan].priceTenthsOfCent },
]);

const PACK_OFFERS = SLUGS.flatMap((plan) =>
  PACK_CREDITS.map((credits): [PriceKey, Offer] => [
    packKey(plan, credits),
    { kind: "pack", plan, credits, amountTenthsOfCent: PLANS[plan].extraCreditTenthsOfCent * credits },
  ]),
);

export const OFFERS: ReadonlyMap<PriceKey, Offer> = new Map([...PLAN_OFFERS, ...PACK_OFFERS]);

export const PRICE_KEYS: readonly PriceKey[] = [...OFFERS.keys()];

export const PLAN_ORDER: readonly PlanSlug[] = SLUGS;

export const DEFAULT_PLAN: PlanSlug = "basic";
