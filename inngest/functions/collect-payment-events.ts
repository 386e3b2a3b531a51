import { restorePlans } from "#lib/features/billing/plan-changes.ts";
import { reconcilePayments } from "#lib/features/billing/reconciliation.ts";
import { collectEvents } from "#lib/features/billing/webhooks.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

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
