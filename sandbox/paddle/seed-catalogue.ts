import { createPrice, createProduct } from "./catalogue-api.ts";
import type { Paddle } from "./context.ts";

/** One thing to sell, present from the start. */
export interface CatalogueEntry {
  /** The seller's own name for it; goes into the price's custom data. */
  key: string;
  /** `pri_` and 26 lower-case letters or digits. */
  priceId: string;
  productName: string;
  priceName: string;
  description: string;
  /** In cents. */
  amountMinor: string;
  currency: "USD";
  /** null is paid once. */
  interval: "month" | null;
}

/**
 * Makes the products and prices that are not there yet; what is there stays as it is.
 * @throws Error for a price id that Paddle could not have made.
 */
export function seedCatalogue(paddle: Paddle, entries: readonly CatalogueEntry[]): void {
  for (const entry of entries) {
    if (!/^pri_[a-z\d]{26}$/.test(entry.priceId)) throw new Error(`"${entry.priceId}" is no price id of Paddle`);
    if (!paddle.store.state.prices.has(entry.priceId)) seed(paddle, entry);
  }
}

function seed(paddle: Paddle, entry: CatalogueEntry): void {
  const { key, priceId, productName, priceName, description, amountMinor, currency, interval } = entry;
  const known = [...paddle.store.state.products.values()].find(({ name }) => name === productName);
  const product = known ?? createProduct(paddle, { name: productName, tax_category: "standard" }, false);
  const price = {
    product_id: product.id,
    name: priceName,
    description,
    unit_price: { amount: amountMinor, currency_code: currency },
    billing_cycle: interval === null ? null : { interval, frequency: 1 },
    custom_data: { key },
  };
  createPrice(paddle, price, priceId);
}
