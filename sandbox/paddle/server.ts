import { join } from "node:path";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { applyFaults } from "../kit/apply-faults.ts";
import { controlRoutes, openControlState } from "../kit/control.ts";
import { logRequests, openJournal } from "../kit/journal.ts";
import { lookRoutes } from "../kit/look/page.ts";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createSpec } from "../kit/spec.ts";
import { type CatalogueEntry, catalogueApi, seedCatalogue } from "./catalogue.ts";
import { paddleControl } from "./control.ts";
import { customersApi } from "./customers.ts";
import { answerError, notPart } from "./http.ts";
import { invoiceRoutes } from "./invoices.ts";
import { overlayRoutes } from "./overlay.ts";
import { portalRoutes } from "./portal.ts";
import { runDue } from "./renewals.ts";
import { PADDLE_SCENARIOS } from "./scenarios.ts";
import { PADDLE_SETTINGS } from "./settings.ts";
import { createStore, type JournalLine, type Paddle } from "./state.ts";
import { subscriptionsApi } from "./subscriptions-api.ts";
import { transactionsApi } from "./transactions.ts";
import { eventsApi, WebhookSender } from "./webhooks.ts";

/** How to run the Paddle stand-in. */
export interface PaddleOptions extends ListenOptions {
  /** Folder for `paddle.jsonl`. */
  dataDir: string;
  /** Bearer of the API. */
  apiKey: string;
  /** Key of the checkout in the browser. */
  clientToken: string;
  webhook: { url: string; secret: string; previousSecret?: string };
  /** Products and prices that are there from the start. */
  catalogue: readonly CatalogueEntry[];
  /** Page that opens the checkout of a transaction. */
  checkoutUrl?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
const DUE_EVERY_MS = 1_000;
const PREVIOUS_SECRET = "pdl_ntfset_previous";

/**
 * Starts Paddle Billing on one origin: the API at its root, as the real one, and the pages for buyers. State is rebuilt
 * from the journal in `dataDir`; what became due meanwhile happens at once.
 */
export async function startPaddle(options: PaddleOptions): Promise<Handle> {
  const { dataDir, apiKey, clientToken, checkoutUrl } = options;
  const journal = openJournal<JournalLine>(join(dataDir, "paddle.jsonl"));
  const control = openControlState(dataDir, { scenarios: PADDLE_SCENARIOS, settings: PADDLE_SETTINGS });
  const paddle: Paddle = {
    ...control,
    ...{ apiKey, clientToken, checkoutUrl },
    store: createStore(journal),
    spec: createSpec("paddle"),
    webhook: { previousSecret: PREVIOUS_SECRET, ...options.webhook },
    onChange: () => sender.wake(),
  };
  const sender = new WebhookSender(paddle);
  seedCatalogue(paddle, options.catalogue);
  const advance = () => {
    runDue(paddle);
    sender.wake();
  };
  const handle = await serve(buildApp(paddle, sender, options.catalogue, advance), options);
  advance();
  const ticking = setInterval(advance, DUE_EVERY_MS).unref();
  const close = async () => {
    clearInterval(ticking);
    await sender.close();
    await handle.close();
    journal.close();
    control.close();
  };
  return { ...handle, close, [Symbol.asyncDispose]: close };
}

function buildApp(
  paddle: Paddle,
  sender: WebhookSender,
  catalogue: PaddleOptions["catalogue"],
  onClockMoved: () => void,
): Hono<StandInEnv> {
  const reset = () => {
    paddle.store.reset();
    seedCatalogue(paddle, catalogue);
  };
  const app = createApp();
  app.use("*", logRequests(paddle));
  app.route("/__control", controlRoutes(paddle, { counts: () => countsOf(paddle), reset, onClockMoved }));
  app.route("/__control", paddleControl(paddle, sender));
  app.route("/__look", lookRoutes());
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.use(
    "*",
    applyFaults(paddle.faults, (c) => labelsOf(paddle, c)),
  );
  const api = [catalogueApi, customersApi, transactionsApi, subscriptionsApi, eventsApi];
  const pages = [overlayRoutes, portalRoutes, invoiceRoutes];
  for (const routes of [...api, ...pages]) app.route("/", routes(paddle));
  app.onError(answerError);
  app.notFound((c) => answerError(notPart(`${c.req.method} ${c.req.path}`), c));
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

/** Faults can be aimed with `where: {transaction, subscription, customer, user, price}`; `user` is custom data's `user_id`. */
async function labelsOf({ store }: Paddle, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { transactions, subscriptions } = store.state;
  const body = await bodyOf(c);
  const named = /\/(txn|sub|ctm)_[a-z\d]+/.exec(c.req.path)?.[0].slice(1);
  const transaction = transactions.get(named ?? String(body.transaction_id));
  const subscription = subscriptions.get(named ?? String(transaction?.subscription_id));
  const customData = transaction?.custom_data ?? subscription?.custom_data ?? Object(body.custom_data);
  const [first] = Array.isArray(body.items) ? body.items : [];
  const labels = Object.entries({
    transaction: transaction?.id,
    subscription: subscription?.id,
    customer: transaction?.customer_id ?? subscription?.customer_id ?? (named?.startsWith("ctm_") ? named : undefined),
    user: customData.user_id,
    price: Object(first).price_id,
  });
  return Object.fromEntries(labels.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

async function bodyOf(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  if (c.req.method === "GET") return {};
  // What is no JSON is refused by the call itself.
  return Object(await c.req.json().catch(() => ({})));
}
