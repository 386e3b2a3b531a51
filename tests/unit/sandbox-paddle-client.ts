import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Paddle } from "@paddle/paddle-node-sdk";
import { createSpec } from "#sandbox/kit/spec.ts";
import { type PaddleOptions, startPaddle } from "#sandbox/paddle/server.ts";

export const API_KEY = "pdl_sdbx_apikey_test";
export const SECRET = `pdl_ntfset_${"1".repeat(26)}_${"a".repeat(32)}`;
export const PREVIOUS_SECRET = `pdl_ntfset_${"0".repeat(26)}_${"b".repeat(32)}`;
export const DAY_MS = 86_400_000;
export const spec = createSpec("paddle");

const priceId = (name: string) => `pri_${name.padStart(26, "0")}`;

/** Two monthly plans and two packs. */
export const PRICES = {
  basic: priceId("basic"),
  growth: priceId("growth"),
  pack100: priceId("pack100"),
  pack500: priceId("pack500"),
};
export const CATALOG: PaddleOptions["catalog"] = [
  { key: "plan:basic", priceId: PRICES.basic, amountMinor: "2900", interval: "month", ...words("Basic") },
  { key: "plan:growth", priceId: PRICES.growth, amountMinor: "7900", interval: "month", ...words("Growth") },
  { key: "pack:100", priceId: PRICES.pack100, amountMinor: "1350", interval: null, ...words("Credits") },
  { key: "pack:500", priceId: PRICES.pack500, amountMinor: "4950", interval: null, ...words("Credits") },
];

/** The cards of Paddle's sandbox. */
export const CARDS = {
  good: "4242 4242 4242 4242",
  challenged: "4000 0038 0000 0446",
  declined: "4000 0000 0000 0002",
  declinedLater: "4000 0027 6000 3184",
};

function words(name: string) {
  return { productName: name, priceName: name, description: `${name}, as sold`, currency: "USD" } as const;
}

/** A received webhook. */
export interface Received {
  body: string;
  signature: string | undefined;
  event: { event_id: string; event_type: string; notification_id: string; occurred_at: string; data: Json };
}

export type Json = Record<string, unknown>;

/** A webhook receiver that responds with `status`, by default 200. */
async function startReceiver() {
  const received: Received[] = [];
  const answer = { status: 200 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const signature = request.headers["paddle-signature"];
    received.push({ body, signature: Array.isArray(signature) ? signature[0] : signature, event: JSON.parse(body) });
    response.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export const freshFolder = () => mkdtempSync(join(tmpdir(), "sandbox-paddle-"));

/** A stand-in with a receiver and the unmodified SDK. */
export async function startHarness(more: Partial<PaddleOptions> = {}) {
  const receiver = await startReceiver();
  const dataDir = freshFolder();
  const options: PaddleOptions = {
    port: 0,
    host: "127.0.0.1",
    dataDir,
    apiKey: API_KEY,
    clientToken: "test_client",
    webhook: { url: receiver.url, secret: SECRET, previousSecret: PREVIOUS_SECRET },
    catalog: CATALOG,
    ...more,
  };
  let handle = await startPaddle(options);
  const harness = {
    receiver,
    get url() {
      return handle.url;
    },
    get paddle() {
      return new Paddle(API_KEY, { environment: handle.url as never });
    },
    /** Restarts it with the same folder. */
    async restart() {
      await handle.close();
      handle = await startPaddle(options);
    },
    async close() {
      await handle.close();
      await receiver.close();
    },
    control: (method: string, path: string, body?: Json) => control(handle.url, method, path, body),
    /** Moves the clock this many days ahead of the start, and waits for all resulting webhooks. */
    async moveTo(days: number) {
      await harness.control("POST", "/clock", { offsetMs: days * DAY_MS });
      await harness.settle();
    },
    settle: () => harness.control("POST", "/webhooks/settle"),
    /** Types of the received events about these entities, in order. */
    typesOf: (...ids: string[]) =>
      receiver.received.filter(({ event }) => ids.includes(String(event.data.id))).map(({ event }) => event.event_type),
    buy: (price: string, card: string, more: Json = {}) => buy(handle.url, price, card, more),
  };
  return harness;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The response to a control call. */
export interface Answer {
  status: number;
  body: Json & {
    outcome: string;
    transaction: WireTransaction;
    events: { event_type: string; data: Json }[];
    code: string;
    error: string;
  };
}

/** Fields of a raw transaction that tests read. */
interface WireTransaction extends Json {
  id: string;
  status: string;
  customer_id: string;
  subscription_id: string | null;
  payments: { status: string; error_code: string | null }[];
}

async function control(url: string, method: string, path: string, body?: Json): Promise<Answer> {
  const response = await fetch(`${url}/__control${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  const answered = await response.text();
  return { status: response.status, body: JSON.parse(answered || "{}") };
}

/** A purchase without a browser, by a new buyer unless an email is given. */
async function buy(url: string, price: string, card: string, more: Json): Promise<Answer["body"]> {
  const { body } = await control(url, "POST", "/checkouts", {
    items: [{ price_id: price, quantity: 1 }],
    customer: { email: `${crypto.randomUUID()}@example.com` },
    custom_data: { user_id: "usr_1" },
    card: { number: card },
    ...more,
  });
  return body;
}

/** A raw API call. */
export async function call(url: string, method: string, path: string, body?: unknown, key: string | null = API_KEY) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answered = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(answered || "{}") };
}

/** The subscription and customer of a new subscriber. */
export async function subscribe(harness: Harness, price = PRICES.basic, card = CARDS.good) {
  const { transaction } = await harness.buy(price, card);
  await harness.settle();
  return { id: transaction.subscription_id ?? "", customer: transaction.customer_id };
}

/** Transactions of a subscription, oldest first. */
export async function transactionsOf(harness: Harness, id: string) {
  const { body } = await harness.control("GET", "/events");
  const sent = body.events.filter(({ data }) => data.subscription_id === id && String(data.id).startsWith("txn_"));
  const ids = new Set(sent.map(({ data }) => String(data.id)));
  return Promise.all([...ids].map((item) => harness.paddle.transactions.get(item)));
}

/** The charged amount. */
export function totalOf(transaction: { details: { totals: { grandTotal: string } | null } | null } | undefined) {
  return transaction?.details?.totals?.grandTotal;
}
