import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import { ApiError, toErrorReply } from "./http.ts";

const ANY = "* /*";
const TRANSACTION = "GET /transactions/:id";
const UPDATE = "PATCH /subscriptions/:id";
const CANCEL = "POST /subscriptions/:id/cancel";
const WEBHOOK = "WEBHOOK /*";
const SCRIPT = "GET /paddle.js";
const OPEN = "POST /checkout/open";
const PAY = "POST /checkout/:id/pay";
const REQUEST_ID = "00000000-0000-0000-0000-000000000000";
const SLOW_MS = 5_000;
const LONG_MS = 30_000;

type Code = ConstructorParameters<typeof ApiError>[0];

const refusal = (code: Code, detail?: string) => toErrorReply(new ApiError(code, detail), REQUEST_ID);
const refuse = (match: string, about: string, code: Code): PreparedFault => ({ match, about, ...refusal(code) });
const simulate = (match: string, about: string, behavior: string): PreparedFault => ({ match, about, play: behavior });
/** Faults after a change was made. */
const lostResponses = (name: string, match: string, what: string): FaultScenarios => {
  const lost = { match, after: "creating" } as const;
  return {
    [`${name}-reply-lost`]: {
      ...lost,
      about: `The ${what} is made, then the connection closes without a response`,
      cut: true,
    },
    [`${name}-hangs`]: { ...lost, about: `The ${what} is made, but no response follows`, hang: true },
    [`${name}-slow`]: { ...lost, about: `The ${what} is made, and the response takes 30 seconds`, delayMs: LONG_MS },
    [`${name}-server-error`]: {
      ...lost,
      about: `The ${what} is made, but the response is 500`,
      ...refusal("internal_error"),
    },
  };
};
const webhook = (about: string, behavior: string): PreparedFault => simulate(WEBHOOK, about, behavior);

/** The predefined faults for `POST /__control/faults {scenario, …}`; each applies to `match` by default. */
export const PADDLE_SCENARIOS: FaultScenarios = {
  cut: { match: ANY, about: "The connection closes, nothing is done", cut: true },
  hang: { match: ANY, about: "No response, nothing is done", hang: true },
  slow: { match: ANY, about: "A normal response, five seconds late", delayMs: SLOW_MS },
  malformed: { match: ANY, about: "Broken JSON, nothing is done", malformed: true },
  "server-error": refuse(ANY, "500, nothing is done", "internal_error"),
  unavailable: refuse(ANY, "503, nothing is done", "service_unavailable"),
  "rate-limited": {
    ...refuse(ANY, "429 with Retry-After: 2", "too_many_requests"),
    headers: { "retry-after": "2" },
  },
  "rate-limited-bare": refuse(ANY, "429 without any header", "too_many_requests"),
  "not-found": refuse(ANY, "404: no such entity", "entity_not_found"),
  forbidden: refuse(ANY, "403: the key lacks permission", "forbidden"),

  "transaction-not-found": refuse(TRANSACTION, "404: no such transaction", "entity_not_found"),
  "stays-paid": simulate(TRANSACTION, "The transaction is paid, but not completed yet", "stays-paid"),
  "foreign-user": simulate(TRANSACTION, "The custom data names another user", "foreign-user"),
  "foreign-price": simulate(TRANSACTION, "The items name an unknown price", "foreign-price"),

  ...lostResponses("change", UPDATE, "change"),
  ...lostResponses("cancel", CANCEL, "cancellation"),
  "already-canceled": refuse(
    CANCEL,
    "400: the subscription is already canceled",
    "subscription_is_canceled_action_invalid",
  ),
  "locked-renewal": refuse(UPDATE, "409: too close to the renewal", "subscription_locked_renewal"),
  "payment-declined": refuse(UPDATE, "400: the payment is declined", "subscription_payment_declined"),

  "webhook-duplicate": webhook("Sent twice, identically", "duplicate"),
  "webhook-replayed": webhook("Sent again later, with a new notification id", "replayed"),
  "webhook-reversed": webhook("Sent after the next one", "reversed"),
  "webhook-stale": webhook("Signed ten minutes ago", "stale"),
  "webhook-future": webhook("Signed ten minutes in the future", "future"),
  "webhook-altered": webhook("The body is changed after signing", "altered"),
  "webhook-two-signatures-first": webhook("Two h1 signatures, the first is valid", "two-signatures-first"),
  "webhook-two-signatures-last": webhook("Two h1 signatures, the second is valid", "two-signatures-last"),
  "webhook-unsigned": webhook("The signature header is missing", "unsigned"),
  "webhook-wrong-secret": webhook("Signed with another secret", "wrong-secret"),
  "webhook-old-secret": webhook("Signed with the secret before the last rotation", "old-secret"),
  "webhook-unknown-type": webhook("Preceded by an event of an unknown type", "unknown-type"),
  "webhook-answer-lost": webhook("Delivered, but the response is lost, so it is sent again", "answer-lost"),
  "webhook-lost": webhook("Not delivered, so it is sent again", "lost"),
  "webhook-slow": { match: WEBHOOK, about: "Sent five seconds late", delayMs: SLOW_MS },

  "script-missing": { match: SCRIPT, about: "404 instead of the checkout's script", status: 404, body: "Not found" },
  "script-fails": { match: SCRIPT, about: "500 instead of the checkout's script", status: 500, body: "Error" },
  "script-slow": { match: SCRIPT, about: "The checkout's script, five seconds late", delayMs: SLOW_MS },
  "checkout-error": {
    match: OPEN,
    about: "The checkout cannot be opened: checkout.error",
    ...refusal("bad_request", "The checkout cannot be opened."),
  },
  "checkout-declined": simulate(PAY, "The bank declines any card", "declined"),
  "checkout-completed-forged": simulate(
    PAY,
    "Paid, but checkout.completed has other items, credits and amounts",
    "forged",
  ),
  "checkout-completed-unpaid": simulate(PAY, "checkout.completed although nothing was paid", "unpaid"),
  "checkout-closes-itself": simulate(PAY, "Paid, then closed without checkout.completed", "closes"),
  "checkout-answer-lost": {
    match: PAY,
    // Browsers retry by themselves when a connection closes, so the response is replaced instead.
    about: "Paid, but the response is lost: 502",
    after: "creating",
    ...refusal("bad_gateway"),
  },
};
