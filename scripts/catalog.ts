import { createHash } from "node:crypto";
import { OFFERS, type Offer, PLANS, PRICE_KEYS, type PriceKey } from "#lib/features/billing/plans.ts";

/** An item for sale, as the payment provider should know it: a price and its product. */
export type CatalogItem = {
  key: PriceKey;
  /** Shared by the four prices of a pack. */
  product: { key: string; name: string; description: string };
  name: string;
  description: string;
  /** In cents. */
  amountMinor: number;
  interval: "month" | null;
  /** Maximum quantity per checkout. */
  maxQuantity: number;
};

const MAX_PACKS_PER_CHECKOUT = 10;
const TENTHS_PER_CENT = 10;

/** Everything that is for sale, from the table of offers. @throws Error for an amount that is not in whole cents */
export function catalogItems(): CatalogItem[] {
  return [...OFFERS].map(([key, offer]) => ({ key, amountMinor: cents(key, offer), ...describe(offer) }));
}

/** The same for the payment stand-in, with its price ids. */
export function sandboxCatalog() {
  const ids = sandboxPrices();
  return catalogItems().map(({ key, product, name, description, amountMinor, interval }) => ({
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

function describe(offer: Offer): Omit<CatalogItem, "key" | "amountMinor"> {
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
    maxQuantity: MAX_PACKS_PER_CHECKOUT,
  };
}

function cents(key: PriceKey, { amountTenthsOfCent }: Offer): number {
  const amount = amountTenthsOfCent / TENTHS_PER_CENT;
  if (!Number.isSafeInteger(amount)) throw new Error(`The price of ${key} is not a whole number of cents.`);
  return amount;
}

/** The stand-in's price ids of our offers: the same on every machine. */
export function sandboxPrices(): Record<string, string> {
  return Object.fromEntries(PRICE_KEYS.map((key) => [key, `pri_${digest(key)}`]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 26);
}
