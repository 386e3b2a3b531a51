import { applyEvent } from "#lib/features/billing/events.ts";
import { restoreDowngrades } from "#lib/features/billing/plan-changes.ts";
import { reconcilePayments } from "#lib/features/billing/reconciliation.ts";
import { paymentEventReceived } from "#lib/features/billing/schema.ts";
import { collectEvents } from "#lib/features/billing/webhooks.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** After this many rounds, the runs of other events and the sweep continue. */
const ROUNDS_MAX = 50;

/**
 * Applies stored payment events in the order they occurred. One run at a time: the first applies everything, the next
 * ones find nothing.
 */
export const applyPaymentEvent = inngest.createFunction(
  { id: "apply-payment-event", triggers: [on("billing/event.received")], retries: 8, concurrency: { limit: 1 } },
  async ({ event, step }) => {
    const received = paymentEventReceived.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "apply-payment-event", step: "apply", round, payment_event_id: received.eventId };
      const { left } = await step.run(`apply-${round}`, () => runUseCase(facts, (ctx) => applyEvent(ctx, received)));
      if (left !== "more") return left;
    }
    return "more";
  },
);

const JOB = "collect-payment-events";

/**
 * Every 15 minutes: collects events that no webhook delivered, reads back overdue payments, and restores interrupted
 * downgrades. The parts fail independently.
 */
export const collectPaymentEvents = inngest.createFunction(
  { id: JOB, triggers: [{ cron: "*/15 * * * *" }], retries: 2 },
  async ({ step }) => {
    const [collected, reconciled, restored] = await Promise.all([
      step.run("collect-events", () => runUseCase({ job: JOB, step: "collect-events" }, collectEvents)),
      step.run("reconcile-payments", () => runUseCase({ job: JOB, step: "reconcile-payments" }, reconcilePayments)),
      step.run("restore-plans", () => runUseCase({ job: JOB, step: "restore-plans" }, restoreDowngrades)),
    ]);
    return { collected, reconciled, restored };
  },
);
