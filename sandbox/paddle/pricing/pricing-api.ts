import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import { toLine } from "../checkout/start-checkout.ts";
import type { Paddle } from "../context.ts";
import { isTraded } from "../money.ts";
import { invalidField } from "../refusals.ts";
import { answer, readRequest } from "../respond.ts";
import { currencyFor, detailsOf } from "../totals.ts";
import { type PricingRequest, previewPrices } from "./preview-prices.ts";

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
