import { join } from "node:path";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createStandInApp, openControlState } from "../kit/control.ts";
import { applyFaults, textsOf } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createSpec } from "../kit/spec.ts";
import { type CatalogEntry, catalogApi, seedCatalog } from "./catalog.ts";
import { paddleControl } from "./control.ts";
import { customersApi } from "./customers.ts";
import { errorResponse, notSupported } from "./http.ts";
import { invoiceRoutes } from "./invoices.ts";
import { overlayRoutes } from "./overlay.ts";
import { portalRoutes } from "./portal.ts";
import { runDue } from "./renewals.ts";
import { PADDLE_SCENARIOS } from "./scenarios.ts";
import { PADDLE_SETTINGS } from "./settings.ts";
import { type JournalLine, openStore, type Paddle } from "./state.ts";
import { subscriptionsApi } from "./subscription-calls.ts";
import { transactionsApi } from "./transactions.ts";
import { eventsApi, WebhookSender } from "./webhooks.ts";

export interface PaddleOptions extends ListenOptions {
  /** Folder for `paddle.jsonl`. */
  dataDir: string;
  /** API key, sent as a bearer token. */
  apiKey: string;
  /** Client-side token of the checkout. */
  clientToken: string;
  webhook: { url: string; secret: string; previousSecret?: string };
  /** The initial products and prices. */
  catalog: readonly CatalogEntry[];
  /** Page that opens the checkout of a transaction. */
  checkoutUrl?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
const DUE_INTERVAL_MS = 1_000;
const PREVIOUS_SECRET = "pdl_ntfset_previous";

/** Starts Paddle Billing on one origin: the API and the pages for buyers. What became due while it was off runs now. */
export async function startPaddle(options: PaddleOptions): Promise<Handle> {
  const { dataDir, apiKey, clientToken, checkoutUrl } = options;
  const journal = openJournal<JournalLine>(join(dataDir, "paddle.jsonl"));
  const control = openControlState(dataDir, { scenarios: PADDLE_SCENARIOS, settings: PADDLE_SETTINGS });
  const paddle: Paddle = {
    ...control,
    ...{ apiKey, clientToken, checkoutUrl },
    store: openStore(journal),
    spec: createSpec("paddle"),
    webhook: { previousSecret: PREVIOUS_SECRET, ...options.webhook },
    onChange: () => sender.trigger(),
  };
  const sender = new WebhookSender(paddle);
  seedCatalog(paddle, options.catalog);
  const advance = () => {
    runDue(paddle);
    sender.trigger();
  };
  let timer: NodeJS.Timeout | undefined;
  const handle = await serve(buildApp(paddle, sender, options.catalog, advance), options, async () => {
    clearInterval(timer);
    await sender.close();
    journal.close();
    control.close();
  });
  timer = setInterval(advance, DUE_INTERVAL_MS).unref();
  advance();
  return handle;
}

function buildApp(
  paddle: Paddle,
  sender: WebhookSender,
  catalog: PaddleOptions["catalog"],
  onClockMoved: () => void,
): Hono<StandInEnv> {
  const reset = () => {
    paddle.store.reset();
    seedCatalog(paddle, catalog);
  };
  const app = createStandInApp(paddle, { counts: () => countsOf(paddle), reset, onClockMoved });
  app.route("/__control", paddleControl(paddle, sender));
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.use(
    "*",
    applyFaults(paddle.faults, (c) => labelsOf(paddle, c)),
  );
  const api = [catalogApi, customersApi, transactionsApi, subscriptionsApi, eventsApi];
  const pages = [overlayRoutes, portalRoutes, invoiceRoutes];
  for (const routes of [...api, ...pages]) app.route("/", routes(paddle));
  app.onError(errorResponse);
  app.notFound((c) => errorResponse(notSupported(`${c.req.method} ${c.req.path}`), c));
  return app;
}

function countsOf({ store }: Paddle): Record<string, number> {
  const { customers, transactions, subscriptions, adjustments, events, unsent } = store.state;
  return {
    customers: customers.size,
    transactions: transactions.size,
    subscriptions: subscriptions.size,
    adjustments: adjustments.size,
    events: events.size,
    "webhooks waiting": unsent.size,
  };
}

/** Labels that faults can match: transaction, subscription, customer, price, and the `user_id` of custom data. */
async function labelsOf({ store }: Paddle, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { transactions, subscriptions } = store.state;
  const body = await bodyOf(c);
  const named = /\/(txn|sub|ctm)_[a-z\d]+/.exec(c.req.path)?.[0].slice(1);
  const transaction = transactions.get(named ?? String(body.transaction_id));
  const subscription = subscriptions.get(named ?? String(transaction?.subscription_id));
  const customData = transaction?.custom_data ?? subscription?.custom_data ?? Object(body.custom_data);
  const [first] = Array.isArray(body.items) ? body.items : [];
  return textsOf({
    transaction: transaction?.id,
    subscription: subscription?.id,
    customer: transaction?.customer_id ?? subscription?.customer_id ?? (named?.startsWith("ctm_") ? named : undefined),
    user: customData.user_id,
    price: Object(first).price_id,
  });
}

async function bodyOf(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  if (c.req.method === "GET") return {};
  // The call itself rejects a body that is not JSON.
  return Object(await c.req.json().catch(() => ({})));
}
