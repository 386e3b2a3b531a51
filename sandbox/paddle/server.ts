import { join } from "node:path";
import type { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { applyFaults } from "../kit/apply-faults.ts";
import { type ControlState, controlRoutes, openControlState } from "../kit/control.ts";
import { logRequests, openJournal } from "../kit/journal.ts";
import { lookRoutes } from "../kit/look/page.ts";
import { type Clock, createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createSpec } from "../kit/spec.ts";
import { adjustmentsApi } from "./adjustments.ts";
import { type CatalogueEntry, catalogueApi, seedCatalogue } from "./catalogue.ts";
import { paddleControl } from "./control.ts";
import { customersApi } from "./customers.ts";
import { runDue } from "./due.ts";
import { eventsApi } from "./events.ts";
import { labelsOf } from "./model.ts";
import { overlayRoutes } from "./overlay.ts";
import { pricingApi } from "./pricing.ts";
import type { Change } from "./records.ts";
import { answerError, answerRefusal, type Paddle } from "./respond.ts";
import { PADDLE_SCENARIOS } from "./scenarios.ts";
import { PADDLE_SETTINGS } from "./settings.ts";
import { createStore } from "./state.ts";
import { subscriptionsApi } from "./subscriptions.ts";
import { transactionsApi } from "./transactions-api.ts";
import { createSender, type Sender } from "./webhooks.ts";

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

const MOST_BODY_BYTES = 1024 * 1024;
const DUE_EVERY_MS = 1_000;
const PREVIOUS_SECRET = "pdl_ntfset_previous";

/**
 * Starts Paddle Billing on one origin: the API at its root, as the real one, and the pages for buyers. State is rebuilt
 * from the journal in `dataDir`; what became due meanwhile happens at once.
 */
export async function startPaddle(options: PaddleOptions): Promise<Handle> {
  const journal = openJournal<Partial<Change>>(join(options.dataDir, "paddle.jsonl"));
  const control = openControlState(options.dataDir, { scenarios: PADDLE_SCENARIOS, settings: PADDLE_SETTINGS });
  const { paddle, sender } = createPaddle(options, control, createStore(journal));
  seedCatalogue(paddle, options.catalogue);
  const advance = () => {
    runDue(paddle);
    sender.wake();
  };
  const handle = await serve(buildApp(paddle, sender, control, options, advance), options);
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

function createPaddle(
  { apiKey, clientToken, webhook, checkoutUrl, publicUrl }: PaddleOptions,
  control: ControlState<typeof PADDLE_SETTINGS>,
  store: Paddle["store"],
): { paddle: Paddle; sender: Sender } {
  const { settings, clock, faults, log } = control;
  const paddle: Paddle = {
    store,
    clock,
    faults,
    log,
    spec: createSpec("paddle"),
    get settings() {
      return settings.values;
    },
    apiKey,
    clientToken,
    webhook: { previousSecret: PREVIOUS_SECRET, ...webhook },
    checkoutUrl,
    publicUrl,
    paidReads: new Map(),
    onChange: () => sender.wake(),
  };
  const sender = createSender(paddle);
  return { paddle, sender };
}

function buildApp(
  paddle: Paddle,
  sender: Sender,
  control: ControlState<typeof PADDLE_SETTINGS>,
  options: PaddleOptions,
  advance: () => void,
): Hono<StandInEnv> {
  const reset = () => {
    paddle.store.reset();
    paddle.paidReads.clear();
    seedCatalogue(paddle, options.catalogue);
  };
  const app = createApp();
  app.use("*", logRequests(control.log, control.clock));
  const clock = watchedClock(control.clock, advance);
  app.route("/__control", controlRoutes({ ...control, clock, counts: () => countsOf(paddle), reset }));
  app.route(
    "/__control",
    paddleControl(paddle, sender, (holdWebhooks) => control.settings.change({ holdWebhooks })),
  );
  app.route("/__look", lookRoutes());
  app.use("*", bodyLimit({ maxSize: MOST_BODY_BYTES }));
  app.use(
    "*",
    applyFaults(control.faults, (c) => labelsOf(paddle, c)),
  );
  app.route("/", catalogueApi(paddle));
  app.route("/", customersApi(paddle));
  app.route("/", pricingApi(paddle));
  app.route("/", transactionsApi(paddle));
  app.route("/", subscriptionsApi(paddle));
  app.route("/", adjustmentsApi(paddle));
  app.route("/", eventsApi(paddle));
  app.route("/", overlayRoutes(paddle));
  app.onError(answerError);
  app.notFound((c) => {
    const detail = `${c.req.method} ${c.req.path} is not played by this stand-in`;
    return answerRefusal(c, { status: 404, code: "not_found", detail, group: "shared" });
  });
  return app;
}

/** A clock that lets happen what became due when it is moved. */
function watchedClock(clock: Clock, advance: () => void): Clock {
  return {
    now: clock.now,
    get offsetMs() {
      return clock.offsetMs;
    },
    setOffset(offsetMs) {
      clock.setOffset(offsetMs);
      advance();
    },
  };
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
