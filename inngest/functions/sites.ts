import { CHECKS_AT_ONCE, ROUNDS_PER_RUN } from "#lib/features/sites/constants.ts";
import { checkWatches, findDueWatches, postponeWatches } from "#lib/features/sites/watches.ts";
import { inngest } from "../client.ts";
import { runUseCase } from "../run-use-case.ts";

/**
 * Every hour: reads the watched sites that are due, each once a day, and proposes their new pages. A site that fails is
 * read again within two hours; what one run doesn't get to is left to the next.
 */
export const checkSites = inngest.createFunction(
  { id: "check-sites", triggers: [{ cron: "41 * * * *" }], concurrency: [{ limit: 1 }], retries: 1 },
  async ({ step }) => {
    const counts = { checked: 0, failed: 0 };
    for (let round = 0; round < ROUNDS_PER_RUN; round += 1) {
      const due = await step.run(`find-due-${round}`, () =>
        runUseCase({ job: "check-sites", step: "find-due", round }, findDueWatches),
      );
      if (due.length === 0) break;
      for (let from = 0; from < due.length; from += CHECKS_AT_ONCE) {
        const watchIds = due.slice(from, from + CHECKS_AT_ONCE);
        const check = step.run(`check-${round}-${from}`, () =>
          runUseCase({ job: "check-sites", step: "check" }, (ctx) => checkWatches(ctx, { watchIds })),
        );
        // One that kills its process is postponed too, or it would come first in every run.
        const { failed } = await check.catch(() =>
          step.run(`postpone-${round}-${from}`, () =>
            runUseCase({ job: "check-sites", step: "postpone" }, (ctx) => postponeWatches(ctx, { watchIds })),
          ),
        );
        counts.checked += watchIds.length;
        counts.failed += failed;
      }
    }
    return counts;
  },
);
