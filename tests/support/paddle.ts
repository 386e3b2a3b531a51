import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPaddle } from "#sandbox/paddle/server.ts";
import { playedCatalogue, playedPrices } from "#scripts/catalogue.ts";
import { PADDLE_TEST_KEY, PADDLE_TEST_SECRET } from "./context.ts";

/** Test cards of the provider. */
export const CARDS = {
  good: "4242 4242 4242 4242",
  declined: "4000 0000 0000 0002",
  /** The first payment goes through, every later one is declined. */
  declinedLater: "4000 0027 6000 3184",
} as const;

/** What a fault rule of the stand-in holds (`sandbox/kit/faults.ts`). */
type Fault = { match?: string; scenario?: string; times?: number; skip?: number } & Record<string, unknown>;

/** Who pays, as the checkout would tell. */
export interface Buyer {
  userId: string;
  email: string;
}

/** A transaction of the stand-in, as far as tests look at it. */
export interface PlayedTransaction {
  id: string;
  status: string;
  customer_id: string;
  subscription_id: string | null;
}

/** A running payment stand-in, with the handles that tests need. */
export interface PaddleControl {
  url: string;
  /** Pays for an offer (`plan:basic`, `pack:free:100`) without a browser. With a null card the checkout stays open. */
  buy(buyer: Buyer, offer: string, options?: { card?: string | null; quantity?: number }): Promise<PlayedTransaction>;
  /** Gives a subscription another card; what is past due is paid by it. */
  changeCard(subscriptionId: string, card: string): Promise<void>;
  /** A control call: `POST /adjustments/…`. */
  control(method: string, path: string, body?: unknown): Promise<Response>;
  strike(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** How many requests `METHOD /path` were answered since the last `forgetCalls`. */
  calls(request: string): Promise<number>;
  forgetCalls(): Promise<void>;
  /** Moves its clock to so many milliseconds ahead of the real time, and does what became due. */
  moveClock(offsetMs: number): Promise<void>;
}

/** A stand-in in this process. */
export interface TestPaddle extends PaddleControl {
  close(): Promise<void>;
}

/** Longer than any answer takes on a loaded machine; without a bound a stuck stand-in would hang its test. */
const ANSWER_MS = 60_000;

const orderOf = (
  { userId, email }: Buyer,
  offer: string,
  { card, quantity = 1 }: { card: string | null; quantity?: number },
) => ({
  items: [{ price_id: playedPrices()[offer], quantity }],
  customer: { email },
  custom_data: { user_id: userId },
  card: card === null ? null : { number: card },
});

/** The handles of a stand-in that runs at an address, in this process or another. */
export const controlPaddle = (url: string): PaddleControl => {
  const control = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}/__control${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} /__control${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  return {
    url,
    control,
    buy: async (buyer, offer, { card = CARDS.good, quantity = 1 } = {}) => {
      const answer = await control("POST", "/checkouts", orderOf(buyer, offer, { card, quantity }));
      return (await answer.json()).transaction;
    },
    changeCard: async (subscriptionId, number) =>
      void (await control("POST", `/subscriptions/${subscriptionId}/payment-method`, { card: { number } })),
    strike: async (fault) => void (await control("POST", "/faults", fault)),
    clearFaults: async () => void (await control("DELETE", "/faults")),
    calls: async (request) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter((entry: { method: string; path: string }) => `${entry.method} ${entry.path}` === request)
        .length;
    },
    forgetCalls: async () => void (await control("DELETE", "/log")),
    moveClock: async (offsetMs) => void (await control("POST", "/clock", { offsetMs })),
  };
};

/** Starts the stand-in on a free port, for houses of `createTestHouse`. Its webhooks go nowhere: tests read its events. */
export const startTestPaddle = async (): Promise<TestPaddle> => {
  const dataDir = mkdtempSync(join(tmpdir(), "paddle-"));
  const handle = await startPaddle({
    port: 0,
    host: "127.0.0.1",
    dataDir,
    apiKey: PADDLE_TEST_KEY,
    clientToken: "test_token",
    webhook: { url: "http://127.0.0.1:9/", secret: PADDLE_TEST_SECRET },
    catalogue: playedCatalogue(),
    checkoutUrl: "http://127.0.0.1:9/pricing",
  });
  const paddle = controlPaddle(handle.url);
  await paddle.control("POST", "/webhooks/hold");
  return {
    ...paddle,
    close: async () => {
      await handle.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
