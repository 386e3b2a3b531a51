import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import { errorAnswer, RefusedError } from "./http.ts";

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

type Code = ConstructorParameters<typeof RefusedError>[0];

const refusal = (code: Code, detail?: string) => errorAnswer(new RefusedError(code, detail), REQUEST_ID);
const refuse = (match: string, about: string, code: Code): PreparedFault => ({ match, about, ...refusal(code) });
const play = (match: string, about: string, part: string): PreparedFault => ({ match, about, play: part });
/** Faults after a change was made. */
const lostAnswers = (name: string, match: string, what: string): FaultScenarios => {
  const lost = { match, after: "creating" } as const;
  return {
    [`${name}-reply-lost`]: { ...lost, about: `The ${what} is made, the connection ends without an answer`, cut: true },
    [`${name}-hangs`]: { ...lost, about: `The ${what} is made, the answer never comes`, hang: true },
    [`${name}-slow`]: { ...lost, about: `The ${what} is made, the answer takes 30 seconds`, delayMs: LONG_MS },
    [`${name}-server-error`]: {
      ...lost,
      about: `The ${what} is made, the answer is 500`,
      ...refusal("internal_error"),
    },
  };
};
const webhook = (about: string, part: string): PreparedFault => play(WEBHOOK, about, part);

/** The prepared faults, to name in `POST /__control/faults {scenario, …}`; each strikes at `match` unless given another. */
export const PADDLE_SCENARIOS: FaultScenarios = {
  cut: { match: ANY, about: "The connection ends, nothing is done", cut: true },
  hang: { match: ANY, about: "No answer, nothing is done", hang: true },
  slow: { match: ANY, about: "The right answer, five seconds late", delayMs: SLOW_MS },
  malformed: { match: ANY, about: "Broken JSON, nothing is done", malformed: true },
  "server-error": refuse(ANY, "500, nothing is done", "internal_error"),
  unavailable: refuse(ANY, "503, nothing is done", "service_unavailable"),
  "rate-limited": {
    ...refuse(ANY, "429 with Retry-After: 2", "too_many_requests"),
    headers: { "retry-after": "2" },
  },
  "rate-limited-bare": refuse(ANY, "429 without any header", "too_many_requests"),
  "not-found": refuse(ANY, "404: there is no such entity", "entity_not_found"),
  forbidden: refuse(ANY, "403: the key may not do this", "forbidden"),

  "transaction-not-found": refuse(TRANSACTION, "404: there is no such transaction", "entity_not_found"),
  "stays-paid": play(TRANSACTION, "The transaction shows as paid, not yet as completed", "stays-paid"),
  "foreign-user": play(TRANSACTION, "The custom data names another user", "foreign-user"),
  "foreign-price": play(TRANSACTION, "The items name a price that nobody knows", "foreign-price"),

  ...lostAnswers("change", UPDATE, "change"),
  ...lostAnswers("cancel", CANCEL, "cancellation"),
  "already-canceled": refuse(
    CANCEL,
    "400: the subscription is canceled already",
    "subscription_is_canceled_action_invalid",
  ),
  "locked-renewal": refuse(UPDATE, "409: too close to the renewal", "subscription_locked_renewal"),
  "payment-declined": refuse(UPDATE, "400: the payment is declined", "subscription_payment_declined"),

  "webhook-duplicate": webhook("Sent twice, word for word", "duplicate"),
  "webhook-replayed": webhook("Sent again later: the same event under a new notification", "replayed"),
  "webhook-reversed": webhook("Sent after the one that follows it", "reversed"),
  "webhook-stale": webhook("Signed ten minutes ago", "stale"),
  "webhook-future": webhook("Signed ten minutes ahead", "future"),
  "webhook-altered": webhook("The body is changed after signing", "altered"),
  "webhook-two-signatures-first": webhook("Two h1, the first is right", "two-signatures-first"),
  "webhook-two-signatures-last": webhook("Two h1, the second is right", "two-signatures-last"),
  "webhook-unsigned": webhook("The signature header is missing", "unsigned"),
  "webhook-wrong-secret": webhook("Signed with another secret", "wrong-secret"),
  "webhook-old-secret": webhook("Signed with the secret before the last rotation", "old-secret"),
  "webhook-unknown-type": webhook("An event of an unknown type comes before it", "unknown-type"),
  "webhook-answer-lost": webhook("Delivered, but the answer is lost: it is sent again", "answer-lost"),
  "webhook-lost": webhook("Not delivered: it is sent again", "lost"),
  "webhook-slow": { match: WEBHOOK, about: "Sent five seconds late", delayMs: SLOW_MS },

  "script-missing": { match: SCRIPT, about: "404: the checkout's script is not there", status: 404, body: "Not found" },
  "script-fails": { match: SCRIPT, about: "500 instead of the checkout's script", status: 500, body: "Error" },
  "script-slow": { match: SCRIPT, about: "The checkout's script, five seconds late", delayMs: SLOW_MS },
  "checkout-error": {
    match: OPEN,
    about: "The checkout cannot be opened: checkout.error",
    ...refusal("bad_request", "The checkout cannot be opened."),
  },
  "checkout-declined": play(PAY, "The bank declines, whatever the card", "declined"),
  "checkout-completed-forged": play(
    PAY,
    "Paid truly, but checkout.completed names other items, credits and amounts",
    "forged",
  ),
  "checkout-completed-unpaid": play(PAY, "checkout.completed although nothing was paid", "unpaid"),
  "checkout-closes-itself": play(PAY, "Paid, then closed without checkout.completed", "closes"),
  "checkout-answer-lost": {
    match: PAY,
    // A browser asks again by itself when a connection ends, so the answer is replaced.
    about: "Paid, but the answer is lost on the way: 502",
    after: "creating",
    ...refusal("bad_gateway"),
  },
};
