import { applyEvent } from "#lib/features/billing/events.ts";
import { paymentEventReceived } from "#lib/features/billing/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** After so many rounds of events the rest is left to the runs of its own events, and to the sweep. */
const ROUNDS_MAX = 50;

/**
 * Applies what the payment provider told, in the order in which it occurred (DESIGN §6). One run at a time: the first
 * finds all that is stored, the next ones nothing.
 */
export const applyPaymentEvent = inngest.createFunction(
  { id: "apply-payment-event", triggers: [on("billing/event.received")], retries: 8, concurrency: { limit: 1 } },
  async ({ event, step }) => {
    const received = paymentEventReceived.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "apply-payment-event", step: "apply", round, payment_event_id: received.eventId };
      const { left } = await step.run(`apply-${round}`, () => runVerb(facts, (ctx) => applyEvent(ctx, received)));
      if (left !== "more") return left;
    }
    return "more";
  },
);
