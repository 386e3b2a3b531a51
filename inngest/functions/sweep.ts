import { sweepGathers } from "#lib/features/analytics/gathering-queue.ts";
import { retireFigures } from "#lib/features/analytics/stored-figures.ts";
import { sweepEvents } from "#lib/features/billing/webhooks.ts";
import { sweepLetters } from "#lib/features/email/delivery.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { sweepErasures } from "#lib/features/privacy/erasure.ts";
import { sweepPins } from "#lib/features/publishing/queue.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/**
 * Every minute: starts again what a crash left without an event (DESIGN §5.6), and deletes figures whose hours are over
 * (D8), which cannot wait for the night. One part's failure stops no other.
 */
export const sweep = inngest.createFunction(
  { id: "sweep", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => {
    const [pins, tasks, letters, erasures, payments, results, figures] = await Promise.all([
      step.run("sweep-pins", () => runVerb({ job: "sweep", step: "sweep-pins" }, sweepPins)),
      step.run("sweep-tasks", () => runVerb({ job: "sweep", step: "sweep-tasks" }, sweepTasks)),
      step.run("sweep-letters", () => runVerb({ job: "sweep", step: "sweep-letters" }, sweepLetters)),
      step.run("sweep-erasures", () => runVerb({ job: "sweep", step: "sweep-erasures" }, sweepErasures)),
      step.run("sweep-payment-events", () => runVerb({ job: "sweep", step: "sweep-payment-events" }, sweepEvents)),
      step.run("sweep-gathers", () => runVerb({ job: "sweep", step: "sweep-gathers" }, sweepGathers)),
      step.run("retire-figures", () => runVerb({ job: "sweep", step: "retire-figures" }, retireFigures)),
    ]);
    return { pins, tasks, letters, erasures, payments, results, figures };
  },
);
