import { applyEvent } from "#lib/features/billing/events.ts";
import { restorePlans } from "#lib/features/billing/plan-changes.ts";
import { reconcilePayments } from "#lib/features/billing/reconciliation.ts";
import { paymentEventReceived } from "#lib/features/billing/schema.ts";
import { collectEvents } from "#lib/features/billing/webhooks.ts";
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

const JOB = "collect-payment-events";

/**
 * Every quarter of an hour: reads what no webhook brought from the payment provider's own list, and asks about what
 * should have been heard of; puts back what a broken upgrade took. One part's failure does not stop the others.
 */
export const collectPaymentEvents = inngest.createFunction(
  { id: JOB, triggers: [{ cron: "*/15 * * * *" }], retries: 2 },
  async ({ step }) => {
    const [collected, reconciled, restored] = await Promise.all([
      step.run("collect-events", () => runVerb({ job: JOB, step: "collect-events" }, collectEvents)),
      step.run("reconcile-payments", () => runVerb({ job: JOB, step: "reconcile-payments" }, reconcilePayments)),
      step.run("restore-plans", () => runVerb({ job: JOB, step: "restore-plans" }, restorePlans)),
    ]);
    return { collected, reconciled, restored };
  },
);
