import type { FaultScenarios } from "../../kit/faults.ts";
import { errorBody, REFUSALS } from "../refusals.ts";

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
export const OVERLAY_SCENARIOS: FaultScenarios = {
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
