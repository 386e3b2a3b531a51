import { SECOND_MS } from "#lib/core/time.ts";
import { checkLink as runCheck, sweepChecks } from "#lib/features/links/checks.ts";
import { checkRequested, NEW_CHECK_PROGRESS } from "#lib/features/links/schema.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Bounds a run; the sweep continues checks that came late to each of their reserved requests. */
const ROUNDS_MAX = 30;

/** Checks a pin's link, at most two of a site at the same time. */
export const checkLink = inngest.createFunction(
  {
    id: "check-link",
    triggers: [on("links/check.requested")],
    concurrency: [{ limit: 20 }, { key: "event.data.host", limit: 2 }],
    retries: 4,
  },
  async ({ event, step }) => {
    const requested = checkRequested.parse(event.data);
    let progress = NEW_CHECK_PROGRESS;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const move = await step.run(`check-${round}`, () =>
        runUseCase({ job: "check-link", step: "check", round }, (ctx) => runCheck(ctx, { ...requested, ...progress })),
      );
      if (move.kind === "done") return move.state;
      // A run under way during a deploy may hold a step without a reservation.
      progress = { tries: move.tries, reservedMs: move.reservedMs ?? null };
      await step.sleep(`delay-${round}`, Math.ceil(move.afterMs / SECOND_MS) * SECOND_MS);
    }
    return "left_to_sweep";
  },
);

/** Every 15 minutes: checks links of pins due soon again, and resends lost checks. */
export const recheckLinks = inngest.createFunction(
  { id: "recheck-links", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => {
    const [due, checks] = await Promise.all([
      step.run("recheck-due", () => runUseCase({ job: "recheck-links", step: "recheck-due" }, recheckDue)),
      step.run("sweep-checks", () => runUseCase({ job: "recheck-links", step: "sweep-checks" }, sweepChecks)),
    ]);
    return { due, checks };
  },
);
