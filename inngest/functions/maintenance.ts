import { SECOND_MS } from "#lib/core/time.ts";
import { sweepGathers } from "#lib/features/analytics/gathering-queue.ts";
import { retireFigures } from "#lib/features/analytics/stored-figures.ts";
import { sweepEvents } from "#lib/features/billing/webhooks.ts";
import { sweepLetters } from "#lib/features/email/delivery.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { recordMinute } from "#lib/features/health/uptime.ts";
import { eraseUser as eraseDeletedUser, sweepErasures } from "#lib/features/privacy/erasure.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { erasureRequested } from "#lib/features/privacy/schema.ts";
import { sweepPins } from "#lib/features/publishing/queue.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Every night: deletes what is kept no longer (DESIGN §5.6). One part's failure stops no other. */
export const retire = inngest.createFunction(
  { id: "retire", triggers: [{ cron: "17 3 * * *" }], retries: 4 },
  async ({ step }) => {
    const deleted = await Promise.all(
      Object.entries(RETENTION_RULES).map(async ([part, deleteOld]): Promise<[string, number]> => {
        const name = `retire-${part}`;
        return [part, await step.run(name, () => runVerb({ job: "retire", step: name }, deleteOld))];
      }),
    );
    return Object.fromEntries(deleted);
  },
);

/**
 * Every minute: records that engine, app and database worked together. It is not tried again: a minute in
 * which this fails is a minute in which the product did not work.
 */
export const recordHealth = inngest.createFunction(
  { id: "record-health", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) =>
    step.run("record-minute", () => runVerb({ job: "record-health", step: "record-minute" }, recordMinute)),
);

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

/** Each round finds more under way, which is rare; after these the sweep starts another run. */
const ROUNDS_MAX = 10;

/** Erases what a deleted user leaves behind: gives up what is being made, sleeps until that has ended, erases. */
export const eraseUser = inngest.createFunction(
  { id: "erase-user", triggers: [on("privacy/erasure.requested")], retries: 8 },
  async ({ event, step }) => {
    const requested = erasureRequested.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "erase-user", step: "erase", user_id: requested.userId, round };
      const erasing = await step.run(`erase-${round}`, () => runVerb(facts, (ctx) => eraseDeletedUser(ctx, requested)));
      if (erasing.kind === "done") return "erased";
      await step.sleep(`settle-${round}`, (Math.ceil(erasing.afterMs / SECOND_MS) + 1) * SECOND_MS);
    }
    return "left to another run";
  },
);
