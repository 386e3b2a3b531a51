import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import type { Paddle } from "../context.ts";
import { type PricingRequest, previewPrices } from "../pricing/preview-prices.ts";
import { assertCurrency, previewTransaction } from "../pricing/pricing-api.ts";
import { invalidFields } from "../refusals.ts";
import { answer, answerError } from "../respond.ts";
import { assertToken, readBody } from "./read-order.ts";

/** `Paddle.PricePreview` and `Paddle.TransactionPreview`: asked from the seller's page, so its origin may read it. */
export function previewRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.use("/checkout/pricing-preview", readable);
  app.use("/checkout/transaction-preview", readable);
  app.post("/checkout/pricing-preview", async (c) =>
    answer(c, previewPrices(paddle, await readPreview(paddle, c, "/pricing-preview"))),
  );
  app.post("/checkout/transaction-preview", async (c) =>
    answer(c, previewTransaction(paddle, await readPreview(paddle, c, "/transactions/preview"))),
  );
  app.onError(answerError);
  return app;
}

async function readable(c: Context<StandInEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set("access-control-allow-origin", "*");
}

/** The same description holds as for the API's own call. @throws RefusedError for what does not fit it */
async function readPreview(paddle: Paddle, c: Context<StandInEnv>, path: string): Promise<PricingRequest> {
  const { token, request } = await readBody(c);
  assertToken(paddle, token);
  const result = paddle.spec.check("POST", path, { path: {}, query: {}, body: request });
  if (!result.ok) throw invalidFields(result.errors);
  // The description has just been checked.
  const checked = request as PricingRequest;
  assertCurrency(checked.currency_code);
  return checked;
}
