import { CHECKS_AT_ONCE } from "#lib/features/sites/constants.ts";
import { checkWatch, findDueWatches } from "#lib/features/sites/watches.ts";
import { inngest } from "../client.ts";
import { runUseCase } from "../run-use-case.ts";

/**
 * Every hour: reads the watched sites that are due, each once a day, and proposes their new pages. A site that fails is
 * read the next day; one whose step fails, in the next run.
 */
export const checkSites = inngest.createFunction(
  { id: "check-sites", triggers: [{ cron: "41 * * * *" }], concurrency: [{ limit: 1 }], retries: 1 },
  async ({ step }) => {
    const due = await step.run("find-due", () => runUseCase({ job: "check-sites", step: "find-due" }, findDueWatches));
    const check = (watchId: string) =>
      step.run(`check-${watchId}`, () =>
        runUseCase({ job: "check-sites", step: "check" }, (ctx) => checkWatch(ctx, { watchId })),
      );
    let failed = 0;
    for (let from = 0; from < due.length; from += CHECKS_AT_ONCE) {
      const results = await Promise.allSettled(due.slice(from, from + CHECKS_AT_ONCE).map(check));
      failed += results.filter(({ status }) => status === "rejected").length;
    }
    return { due: due.length, failed };
  },
);
