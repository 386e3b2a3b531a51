import { SECOND_MS } from "#lib/core/time.ts";
import { NEW_SYNC_PROGRESS, type SyncProgress, syncRequested } from "#lib/features/analytics/schema.ts";
import { syncAnalytics as runSyncStep } from "#lib/features/analytics/sync.ts";
import { requestWeeklySyncs as requestSyncs, sendWeeklyEmails as sendEmails } from "#lib/features/analytics/weekly.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/**
 * Requests the syncs for the weekly email. Runs every 15 minutes, because time zones differ by that; the next run is
 * the retry.
 */
export const requestWeeklySyncs = inngest.createFunction(
  { id: "request-weekly-metrics", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) =>
    step.run("request", () => runUseCase({ job: "request-weekly-metrics", step: "request" }, requestSyncs)),
);

/** Enough for 2,000 pins one by one. The sweep starts another run for the rest. */
const ROUNDS_MAX = 240;

/**
 * Syncs the metrics of an account's published pins, one run per account at a time. A step is mostly waiting for
 * Pinterest: twenty of them make about 50 calls a second (docs/scale.md).
 */
export const syncAnalytics = inngest.createFunction(
  {
    id: "sync-analytics",
    triggers: [on("analytics/sync.requested")],
    concurrency: [{ limit: 20 }, { key: "event.data.accountId", limit: 1 }],
    retries: 4,
  },
  async ({ event, step }) => {
    const requested = syncRequested.parse(event.data);
    let progress: SyncProgress = NEW_SYNC_PROGRESS;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "sync-analytics", step: "sync", account_id: requested.accountId, round };
      const result = await step.run(`sync-${round}`, () =>
        runUseCase(facts, (ctx) => runSyncStep(ctx, { ...requested, progress })),
      );
      if (result.kind === "done") return result.outcome;
      progress = result.progress;
      if (result.afterMs > 0) await step.sleep(`delay-${round}`, Math.ceil(result.afterMs / SECOND_MS) * SECOND_MS);
    }
    return "left_to_sweep";
  },
);

/**
 * Sends the weekly emails. Runs every 15 minutes, because time zones differ by that; separate from the request, so that
 * its failure does not stop the emails.
 */
export const sendWeeklyEmails = inngest.createFunction(
  { id: "send-weekly-emails", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => step.run("send", () => runUseCase({ job: "send-weekly-emails", step: "send" }, sendEmails)),
);
