import { sweepEvents } from "#lib/features/billing/sweep-events.ts";
import { sweepTasks } from "#lib/features/generation/sweep-tasks.ts";
import { sweepLetters } from "#lib/features/letters/sweep-letters.ts";
import { sweepErasures } from "#lib/features/privacy/sweep-erasures.ts";
import { sweepPins } from "#lib/features/publishing/sweep-pins.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/** Every minute: starts again what a crash left without an event (DESIGN §5.6). One part's failure stops no other. */
export const sweep = inngest.createFunction(
  { id: "sweep", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => {
    const [pins, tasks, letters, erasures, payments] = await Promise.all([
      step.run("sweep-pins", () => runVerb({ job: "sweep", step: "sweep-pins" }, sweepPins)),
      step.run("sweep-tasks", () => runVerb({ job: "sweep", step: "sweep-tasks" }, sweepTasks)),
      step.run("sweep-letters", () => runVerb({ job: "sweep", step: "sweep-letters" }, sweepLetters)),
      step.run("sweep-erasures", () => runVerb({ job: "sweep", step: "sweep-erasures" }, sweepErasures)),
      step.run("sweep-payment-events", () => runVerb({ job: "sweep", step: "sweep-payment-events" }, sweepEvents)),
    ]);
    return { pins, tasks, letters, erasures, payments };
  },
);
