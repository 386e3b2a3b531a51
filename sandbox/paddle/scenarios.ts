import { commonFaults, doneFaults, type FaultScenarios, type PreparedFault } from "../kit/faults.ts";
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

type Code = ConstructorParameters<typeof ApiError>[0];

const refusal = (code: Code, detail?: string) => toErrorReply(new ApiError(code, detail), REQUEST_ID);
const refuse = (match: string, about: string, code: Code): PreparedFault => ({ match, about, ...refusal(code) });
const lostResponses = (name: string, match: string, what: string): FaultScenarios => {
  const made = doneFaults(match, `The ${what} is made`);
  return {
    [`${name}-reply-lost`]: made.lost,
    [`${name}-hangs`]: made.hanging,
    [`${name}-slow`]: made.slow,
    [`${name}-server-error`]: made.answered("500", refusal("internal_error")),
  };
};
const webhook = (about: string): PreparedFault => ({ match: WEBHOOK, about });

/** The predefined faults; those without a response are simulated by the routes and the sender of webhooks. */
export const PADDLE_SCENARIOS: FaultScenarios = {
  ...commonFaults(ANY),
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
  "stays-paid": { match: TRANSACTION, about: "The transaction is paid, but not completed yet" },
  "foreign-user": { match: TRANSACTION, about: "The custom data names another user" },
  "foreign-price": { match: TRANSACTION, about: "The items name an unknown price" },

  ...lostResponses("change", UPDATE, "change"),
  ...lostResponses("cancel", CANCEL, "cancellation"),
  "already-canceled": refuse(
    CANCEL,
    "400: the subscription is already canceled",
    "subscription_is_canceled_action_invalid",
  ),
  "locked-renewal": refuse(UPDATE, "409: too close to the renewal", "subscription_locked_renewal"),
  "payment-declined": refuse(UPDATE, "400: the payment is declined", "subscription_payment_declined"),

  "webhook-duplicate": webhook("Sent twice, identically"),
  "webhook-replayed": webhook("Sent again later, with a new notification id"),
  "webhook-reversed": webhook("Sent after the next one"),
  "webhook-stale": webhook("Signed ten minutes ago"),
  "webhook-future": webhook("Signed ten minutes in the future"),
  "webhook-altered": webhook("The body is changed after signing"),
  "webhook-two-signatures-first": webhook("Two h1 signatures, the first is valid"),
  "webhook-two-signatures-last": webhook("Two h1 signatures, the second is valid"),
  "webhook-unsigned": webhook("The signature header is missing"),
  "webhook-wrong-secret": webhook("Signed with another secret"),
  "webhook-old-secret": webhook("Signed with the secret before the last rotation"),
  "webhook-unknown-type": webhook("Preceded by an event of an unknown type"),
  "webhook-answer-lost": webhook("Delivered, but the response is lost, so it is sent again"),
  "webhook-lost": webhook("Not delivered, so it is sent again"),
  "webhook-slow": { match: WEBHOOK, about: "Sent five seconds late", delayMs: SLOW_MS },

  "script-missing": { match: SCRIPT, about: "404 instead of the checkout's script", status: 404, body: "Not found" },
  "script-fails": { match: SCRIPT, about: "500 instead of the checkout's script", status: 500, body: "Error" },
  "script-slow": { match: SCRIPT, about: "The checkout's script, five seconds late", delayMs: SLOW_MS },
  "checkout-error": {
    match: OPEN,
    about: "The checkout cannot be opened: checkout.error",
    ...refusal("bad_request", "The checkout cannot be opened."),
  },
  "checkout-declined": { match: PAY, about: "The bank declines any card" },
  "checkout-completed-forged": {
    match: PAY,
    about: "Paid, but checkout.completed has other items, credits and amounts",
  },
  "checkout-completed-unpaid": { match: PAY, about: "checkout.completed although nothing was paid" },
  "checkout-closes-itself": { match: PAY, about: "Paid, then closed without checkout.completed" },
  "checkout-answer-lost": {
    match: PAY,
    // Browsers retry by themselves when a connection closes, so the response is replaced instead.
    about: "Paid, but the response is lost: 502",
    after: "creating",
    ...refusal("bad_gateway"),
  },
};
