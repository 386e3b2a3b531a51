import { SECOND_MS } from "#lib/core/time.ts";
import { checkLink as checkOne, sweepChecks } from "#lib/features/links/checks.ts";
import { checkRequested } from "#lib/features/links/schema.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Bounds a run: a site whose turn does not come by then is left to the sweep. */
const ROUNDS_MAX = 30;

/** Looks at an address that a pin leads to (R-SRV-08): of one site two at a time. */
export const checkLink = inngest.createFunction(
  {
    id: "check-link",
    triggers: [on("links/check.requested")],
    concurrency: [{ limit: 20 }, { key: "event.data.host", limit: 2 }],
    retries: 4,
  },
  async ({ event, step }) => {
    const requested = checkRequested.parse(event.data);
    let looks = 0;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const move = await step.run(`look-${round}`, () =>
        runVerb({ job: "check-link", step: "look", round }, (ctx) => checkOne(ctx, { ...requested, looks })),
      );
      if (move.kind === "done") return move.state;
      looks = move.looks;
      await step.sleep(`nap-${round}`, Math.ceil(move.afterMs / SECOND_MS) * SECOND_MS);
    }
    return "left_to_sweep";
  },
);

/** Every quarter of an hour: links of pins that go out soon are looked at again, and checks that were lost begin anew. */
export const recheckLinks = inngest.createFunction(
  { id: "recheck-links", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => {
    const [due, checks] = await Promise.all([
      step.run("recheck-due", () => runVerb({ job: "recheck-links", step: "recheck-due" }, recheckDue)),
      step.run("sweep-checks", () => runVerb({ job: "recheck-links", step: "sweep-checks" }, sweepChecks)),
    ]);
    return { due, checks };
  },
);
