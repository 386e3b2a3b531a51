import { salePrice } from "../catalogue-api.ts";
import type { Paddle } from "../context.ts";
import type { LineTotals } from "../model.ts";
import { formatMinor } from "../money.ts";
import { currencyFor, taxRate, unitAmount, withTax } from "../totals.ts";

/** What prices are asked for, as the API spells it. */
export interface PricingRequest {
  items: { price_id: string; quantity: number }[];
  customer_id?: string | null;
  address_id?: string | null;
  business_id?: string | null;
  discount_id?: string | null;
  currency_code?: string | null;
  address?: { country_code: string; postal_code?: string | null } | null;
  customer_ip_address?: string | null;
}

/** Prices as a buyer in this place sees them. Nothing is kept. @throws RefusedError for a price that is not sold. */
export function previewPrices(paddle: Paddle, request: PricingRequest) {
  const { taxPercent } = paddle.settings;
  const items = request.items.map(({ price_id, quantity }) => ({ ...salePrice(paddle, price_id), quantity }));
  const country = countryFor(paddle, request);
  const prices = items.map(({ price }) => price);
  const currency = request.currency_code ?? currencyFor(prices, country);
  const line_items = items.map(({ price, product, quantity }) => {
    const isAdded = price.tax_mode === "external";
    const unit = unitAmount(price, country, currency);
    const unit_totals = withTax(unit, taxPercent, isAdded);
    const totals = withTax(unit * quantity, taxPercent, isAdded);
    return {
      price,
      quantity,
      tax_rate: taxRate(taxPercent),
      unit_totals,
      formatted_unit_totals: formatted(unit_totals, currency),
      totals,
      formatted_totals: formatted(totals, currency),
      product,
      discounts: [],
    };
  });
  return {
    customer_id: request.customer_id ?? null,
    address_id: request.address_id ?? null,
    business_id: request.business_id ?? null,
    discount_id: request.discount_id ?? null,
    currency_code: currency,
    address: { country_code: country, postal_code: request.address?.postal_code ?? null },
    customer_ip_address: request.customer_ip_address ?? null,
    details: { line_items },
    available_payment_methods: ["card"],
  };
}

/** The country of the request; an IP address is everywhere in the country of the setting. */
function countryFor({ store, settings }: Paddle, { address, address_id }: PricingRequest): string {
  const known = address_id ? store.state.addresses.get(address_id)?.country_code : undefined;
  return address?.country_code ?? known ?? settings.country;
}

function formatted(totals: LineTotals, currency: string): LineTotals {
  const text = (amount: string) => formatMinor(Number(amount), currency);
  const { subtotal, discount, tax, total } = totals;
  return { subtotal: text(subtotal), discount: text(discount), tax: text(tax), total: text(total) };
}
