import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import { errorBody, REFUSALS, type Refusal } from "./refusals.ts";
import type { Part } from "./webhooks.ts";

const SCRIPT = "GET /paddle.js";
const OPEN = "POST /checkout/open";
const PAY = "POST /checkout/:id/pay";
const SLOW_MS = 5_000;

const REQUEST_ID = "00000000-0000-0000-0000-000000000000";

const REFUSED = errorBody(
  { status: 400, code: "bad_request", detail: "The checkout cannot be opened.", group: "shared" },
  REQUEST_ID,
);

/** Prepared faults of the checkout in the browser. */
const OVERLAY_SCENARIOS: FaultScenarios = {
  "script-missing": { match: SCRIPT, about: "404: the checkout's script is not there", status: 404, body: "Not found" },
  "script-fails": { match: SCRIPT, about: "500 instead of the checkout's script", status: 500, body: "Error" },
  "script-slow": { match: SCRIPT, about: "The checkout's script, five seconds late", delayMs: SLOW_MS },
  "checkout-error": { match: OPEN, about: "The checkout cannot be opened: checkout.error", status: 400, body: REFUSED },
  "checkout-declined": { match: PAY, about: "The bank declines, whatever the card", play: "declined" },
  "checkout-completed-forged": {
    match: PAY,
    about: "Paid truly, but checkout.completed names other items, credits and amounts",
    play: "forged",
  },
  "checkout-completed-unpaid": {
    match: PAY,
    about: "checkout.completed although nothing was paid",
    play: "unpaid",
  },
  "checkout-closes-itself": {
    match: PAY,
    about: "Paid, then closed without checkout.completed",
    play: "closes",
  },
  "checkout-answer-lost": {
    match: PAY,
    // A browser asks again by itself when a connection ends, so the answer is replaced.
    about: "Paid, but the answer is lost on the way: 502",
    after: "creating",
    status: 502,
    body: errorBody(REFUSALS.badGateway, REQUEST_ID),
  },
};

const ANY = "* /*";
const TRANSACTION = "GET /transactions/:id";
const UPDATE = "PATCH /subscriptions/:id";
const CANCEL = "POST /subscriptions/:id/cancel";
const WEBHOOK = "WEBHOOK /*";
const SCENARIO_REQUEST_ID = "00000000-0000-0000-0000-000000000000";
const LONG_MS = 30_000;

const answer = (refusal: Refusal) => ({ status: refusal.status, body: errorBody(refusal, SCENARIO_REQUEST_ID) });
const refuse = (match: string, about: string, refusal: Refusal): PreparedFault => ({
  match,
  about,
  ...answer(refusal),
});
const play = (match: string, about: string, part: string): PreparedFault => ({ match, about, play: part });
const lose = (match: string, about: string, more: PreparedFault): PreparedFault => ({
  match,
  about,
  after: "creating",
  ...more,
});
const lostAnswers = (name: string, match: string, what: string): FaultScenarios => ({
  [`${name}-reply-lost`]: lose(match, `The ${what} is made, the connection ends without an answer`, { cut: true }),
  [`${name}-hangs`]: lose(match, `The ${what} is made, the answer never comes`, { hang: true }),
  [`${name}-slow`]: lose(match, `The ${what} is made, the answer takes 30 seconds`, { delayMs: LONG_MS }),
  [`${name}-server-error`]: lose(match, `The ${what} is made, the answer is 500`, answer(REFUSALS.internalError)),
});
const send = (about: string, part: Part): PreparedFault => ({ match: WEBHOOK, about, play: part });

const NOT_FOUND: Refusal = {
  status: 404,
  code: "entity_not_found",
  detail: "Unable to find the entity.",
  group: "shared",
};

/** The prepared faults, to name in `POST /__control/faults {scenario, …}`; each strikes at `match` unless told otherwise. */
export const PADDLE_SCENARIOS: FaultScenarios = {
  cut: { match: ANY, about: "The connection ends, nothing is done", cut: true },
  hang: { match: ANY, about: "No answer, nothing is done", hang: true },
  slow: { match: ANY, about: "The right answer, five seconds late", delayMs: 5_000 },
  malformed: { match: ANY, about: "Broken JSON, nothing is done", malformed: true },
  "server-error": refuse(ANY, "500, nothing is done", REFUSALS.internalError),
  unavailable: refuse(ANY, "503, nothing is done", REFUSALS.serviceUnavailable),
  "rate-limited": {
    ...refuse(ANY, "429 with Retry-After: 2", REFUSALS.tooManyRequests),
    headers: { "retry-after": "2" },
  },
  "rate-limited-bare": refuse(ANY, "429 without any header", REFUSALS.tooManyRequests),
  "not-found": refuse(ANY, "404: there is no such entity", NOT_FOUND),
  forbidden: refuse(ANY, "403: the key may not do this", REFUSALS.forbidden),

  "transaction-not-found": refuse(TRANSACTION, "404: there is no such transaction", NOT_FOUND),
  "stays-paid": play(TRANSACTION, "The transaction shows as paid, not yet as completed", "stays-paid"),
  "foreign-user": play(TRANSACTION, "The custom data names another user", "foreign-user"),
  "foreign-price": play(TRANSACTION, "The items name a price that nobody knows", "foreign-price"),

  ...lostAnswers("change", UPDATE, "change"),
  ...lostAnswers("cancel", CANCEL, "cancellation"),
  "already-canceled": refuse(CANCEL, "400: the subscription is canceled already", REFUSALS.subscriptionCanceled),
  "locked-renewal": refuse(UPDATE, "409: too close to the renewal", REFUSALS.lockedRenewal),
  "payment-declined": refuse(UPDATE, "400: the payment is declined", REFUSALS.paymentDeclined),

  "webhook-duplicate": send("Sent twice, word for word", "duplicate"),
  "webhook-replayed": send("Sent again later: the same event under a new notification", "replayed"),
  "webhook-reversed": send("Sent after the one that follows it", "reversed"),
  "webhook-stale": send("Signed ten minutes ago", "stale"),
  "webhook-future": send("Signed ten minutes ahead", "future"),
  "webhook-altered": send("The body is changed after signing", "altered"),
  "webhook-two-signatures-first": send("Two h1, the first is right", "two-signatures-first"),
  "webhook-two-signatures-last": send("Two h1, the second is right", "two-signatures-last"),
  "webhook-unsigned": send("The signature header is missing", "unsigned"),
  "webhook-wrong-secret": send("Signed with another secret", "wrong-secret"),
  "webhook-old-secret": send("Signed with the secret before the last rotation", "old-secret"),
  "webhook-unknown-type": send("An event of an unknown type comes before it", "unknown-type"),
  "webhook-answer-lost": send("Delivered, but the answer is lost: it is sent again", "answer-lost"),
  "webhook-lost": send("Not delivered: it is sent again", "lost"),
  "webhook-slow": { match: WEBHOOK, about: "Sent five seconds late", delayMs: 5_000 },

  ...OVERLAY_SCENARIOS,
};
