import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPaddle } from "#sandbox/paddle/server.ts";
import { sandboxCatalog, sandboxPrices } from "#scripts/catalog.ts";
import { PADDLE_TEST_KEY, PADDLE_TEST_SECRET } from "./context.ts";

/** The provider's test cards. */
export const CARDS = {
  good: "4242 4242 4242 4242",
  declined: "4000 0000 0000 0002",
  /** The first payment succeeds, every later one is declined. */
  declinedLater: "4000 0027 6000 3184",
} as const;

/** A fault rule of the stand-in (`sandbox/kit/faults.ts`). */
type Fault = { match?: string; scenario?: string; times?: number; skip?: number } & Record<string, unknown>;

/** The payer, as in the checkout's custom data. */
export interface Buyer {
  userId: string;
  email: string;
}

/** The fields of a stand-in's transaction that tests read. */
interface StandInTransaction {
  id: string;
  status: string;
  customer_id: string;
  subscription_id: string | null;
}

/** A running payment stand-in with helpers for tests. */
export interface PaddleControl {
  url: string;
  /** Pays for an offer (`plan:basic`, `pack:free:100`) without a browser. With a null card the checkout stays open. */
  buy(buyer: Buyer, offer: string, options?: { card?: string | null; quantity?: number }): Promise<StandInTransaction>;
  /** Replaces a subscription's card, which also pays what is past due. */
  changeCard(subscriptionId: string, card: string): Promise<void>;
  /** A control call: `POST /adjustments/…`. */
  control(method: string, path: string, body?: unknown): Promise<Response>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Number of `METHOD /path` requests since the last reset. */
  calls(request: string): Promise<number>;
  resetCalls(): Promise<void>;
  /** Moves its clock this many milliseconds ahead of real time and runs what is due. */
  moveClock(offsetMs: number): Promise<void>;
}

/** A stand-in in this process. */
export interface TestPaddle extends PaddleControl {
  close(): Promise<void>;
}

/** Longer than any response on a loaded machine; without a limit a stuck stand-in would hang its test. */
const RESPONSE_TIMEOUT_MS = 60_000;

const orderOf = (
  { userId, email }: Buyer,
  offer: string,
  { card, quantity = 1 }: { card: string | null; quantity?: number },
) => ({
  items: [{ price_id: sandboxPrices()[offer], quantity }],
  customer: { email },
  custom_data: { user_id: userId },
  card: card === null ? null : { number: card },
});

/** Helpers for a stand-in at a URL, in this process or another. */
export const controlPaddle = (url: string): PaddleControl => {
  const control = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}/__control${path}`, {
      method,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
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
    addFault: async (fault) => void (await control("POST", "/faults", fault)),
    clearFaults: async () => void (await control("DELETE", "/faults")),
    calls: async (request) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter((entry: { method: string; path: string }) => `${entry.method} ${entry.path}` === request)
        .length;
    },
    resetCalls: async () => void (await control("DELETE", "/log")),
    moveClock: async (offsetMs) => void (await control("POST", "/clock", { offsetMs })),
  };
};

/**
 * Starts the stand-in on a free port for harnesses of `createTestHarness`. Webhooks are not delivered: tests read its
 * events.
 */
export const startTestPaddle = async (): Promise<TestPaddle> => {
  const dataDir = mkdtempSync(join(tmpdir(), "paddle-"));
  const handle = await startPaddle({
    port: 0,
    host: "127.0.0.1",
    dataDir,
    apiKey: PADDLE_TEST_KEY,
    clientToken: "test_token",
    webhook: { url: "http://127.0.0.1:9/", secret: PADDLE_TEST_SECRET },
    catalog: sandboxCatalog(),
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
