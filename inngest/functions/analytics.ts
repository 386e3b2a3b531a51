import { SECOND_MS } from "#lib/core/time.ts";
import { gatherResults as gatherOnce } from "#lib/features/analytics/gathering.ts";
import { type GatherWalk, gatherRequested, NEW_WALK } from "#lib/features/analytics/schema.ts";
import { askWeeks as ask, tellWeeks as tell } from "#lib/features/analytics/weekly.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/**
 * Has figures fetched where it is early on Monday, or on Tuesday for those who were not told, for the mail of the week:
 * every quarter of an hour, since zones differ by as little. The next run is the next try.
 */
export const askWeeks = inngest.createFunction(
  { id: "ask-weeks", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => step.run("ask", () => runVerb({ job: "ask-weeks", step: "ask" }, ask)),
);

/** Bounds a run: 2,000 pins one by one in the account's own pace. What is left then, the sweep has fetched. */
const ROUNDS_MAX = 240;

/** Fetches figures of an account's published pins, of one account by one run at a time. */
export const gatherResults = inngest.createFunction(
  {
    id: "gather-results",
    triggers: [on("results/gather.requested")],
    concurrency: [{ limit: 4 }, { key: "event.data.accountId", limit: 1 }],
    retries: 4,
  },
  async ({ event, step }) => {
    const requested = gatherRequested.parse(event.data);
    let walk: GatherWalk = NEW_WALK;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "gather-results", step: "gather", account_id: requested.accountId, round };
      const move = await step.run(`gather-${round}`, () =>
        runVerb(facts, (ctx) => gatherOnce(ctx, { ...requested, walk })),
      );
      if (move.kind === "done") return move.outcome;
      walk = move.walk;
      if (move.afterMs > 0) await step.sleep(`nap-${round}`, Math.ceil(move.afterMs / SECOND_MS) * SECOND_MS);
    }
    return "left_to_sweep";
  },
);

/**
 * Tells of the week where it is Monday or Tuesday and eight o'clock or later: every quarter of an hour, since zones
 * differ by as little. Apart from `ask-weeks`, whose failure holds up no mail. The next run is the next try.
 */
export const tellWeeks = inngest.createFunction(
  { id: "tell-weeks", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => step.run("tell", () => runVerb({ job: "tell-weeks", step: "tell" }, tell)),
);
