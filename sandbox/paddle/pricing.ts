import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { salePrice } from "./catalogue.ts";
import { toLine } from "./checkout.ts";
import type { LineTotals } from "./model.ts";
import { invalidField } from "./refusals.ts";
import { answer, type Paddle, readRequest } from "./respond.ts";
import { formatMinor, isTraded } from "./time.ts";
import { currencyFor, detailsOf, taxRate, unitAmount, withTax } from "./totals.ts";

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

/** `POST /pricing-preview` and `POST /transactions/preview`. */
export function pricingApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.post("/pricing-preview", async (c) => {
    const { body } = await readRequest<PricingRequest>(paddle, c, "/pricing-preview");
    assertCurrency(body.currency_code);
    return answer(c, previewPrices(paddle, body));
  });
  app.post("/transactions/preview", async (c) => {
    const { body } = await readRequest<PricingRequest>(paddle, c, "/transactions/preview");
    assertCurrency(body.currency_code);
    return answer(c, previewTransaction(paddle, body));
  });
  return app;
}

/** @throws RefusedError 400 for a currency without a rate. */
export function assertCurrency(currency: string | null | undefined): void {
  if (currency && !isTraded(currency)) throw invalidField("currency_code", "is not played by this stand-in");
}

/** What a transaction over these prices would come to. Nothing is kept. */
export function previewTransaction(paddle: Paddle, request: PricingRequest) {
  const shown = previewPrices(paddle, request);
  const lines = request.items.map(({ price_id, quantity }) => toLine(paddle, price_id, quantity));
  const country = shown.address.country_code;
  const prices = lines.map(({ price }) => price);
  const currency = request.currency_code ?? currencyFor(prices, country);
  const terms = { currency, country, taxPercent: paddle.settings.taxPercent, at: paddle.clock.now() };
  const { payout_totals: _, adjusted_totals: __, ...details } = detailsOf(lines, terms);
  return {
    ...shown,
    ignore_trials: false,
    items: lines.map(({ price, quantity }) => ({ price, quantity, include_in_totals: true, proration: null })),
    details,
  };
}
