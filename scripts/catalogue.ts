import { createHash } from "node:crypto";
import { OFFERS, type Offer, PLANS, PRICE_KEYS, type PriceKey } from "#lib/features/billing/plans.ts";

/** Something that is sold, as the payment provider is to know it: a price, and the product that it belongs to. */
export type Article = {
  key: PriceKey;
  /** Shared by the four prices of a pack. */
  product: { key: string; name: string; description: string };
  name: string;
  description: string;
  /** In cents. */
  amountMinor: number;
  interval: "month" | null;
  /** How many of it one checkout may hold. */
  maxQuantity: number;
};

const PACKS_AT_ONCE = 10;
const TENTHS_PER_CENT = 10;

/** All that is sold, made from the one table (R-PAY-01). @throws Error for an amount that is no whole cents */
export function articles(): Article[] {
  return [...OFFERS].map(([key, offer]) => ({ key, amountMinor: cents(key, offer), ...describe(offer) }));
}

/** The same for the payment stand-in, under the price ids that it is told. */
export function playedCatalogue() {
  const ids = playedPrices();
  return articles().map(({ key, product, name, description, amountMinor, interval }) => ({
    key,
    priceId: ids[key] ?? "",
    productName: product.name,
    priceName: name,
    description,
    amountMinor: String(amountMinor),
    currency: "USD" as const,
    interval,
  }));
}

function describe(offer: Offer): Omit<Article, "key" | "amountMinor"> {
  const plan = PLANS[offer.plan].name;
  if (offer.kind === "plan") {
    const credits = PLANS[offer.plan].creditsPerPeriod.toLocaleString("en-US");
    const product = { key: `plan:${offer.plan}`, name: `${plan} plan`, description: `${credits} credits a month` };
    return { product, name: "Monthly", description: `${plan} plan, monthly`, interval: "month", maxQuantity: 1 };
  }
  const name = `${offer.credits.toLocaleString("en-US")} credits`;
  return {
    product: { key: `pack:${offer.credits}`, name, description: "Credits that do not expire" },
    name: `On the ${plan} plan`,
    description: `${name} at the price of the ${plan} plan`,
    interval: null,
    maxQuantity: PACKS_AT_ONCE,
  };
}

function cents(key: PriceKey, { amountTenthsOfCent }: Offer): number {
  const amount = amountTenthsOfCent / TENTHS_PER_CENT;
  if (!Number.isSafeInteger(amount)) throw new Error(`The price of ${key} is no whole number of cents.`);
  return amount;
}

/** The price ids that the payment stand-in gives our offers: the same on every machine. */
export function playedPrices(): Record<string, string> {
  return Object.fromEntries(PRICE_KEYS.map((key) => [key, `pri_${digest(key)}`]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 26);
}
