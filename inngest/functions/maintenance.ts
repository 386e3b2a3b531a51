import { SECOND_MS } from "#lib/core/time.ts";
import { purgeMetrics } from "#lib/features/analytics/stored-metrics.ts";
import { sweepSyncs } from "#lib/features/analytics/sync-queue.ts";
import { sweepEvents } from "#lib/features/billing/webhooks.ts";
import { sweepOutbox } from "#lib/features/email/delivery.ts";
import { recordMinute } from "#lib/features/health/uptime.ts";
import { checkStorage } from "#lib/features/pins/storage-outages.ts";
import { eraseUser as eraseDeletedUser, sweepErasures } from "#lib/features/privacy/erasure.ts";
import { applyRetentionRule, RETENTION_RULE_NAMES, type RetentionRule } from "#lib/features/privacy/retention.ts";
import { erasureRequested } from "#lib/features/privacy/schema.ts";
import { sweepImports } from "#lib/features/spreadsheets/creation.ts";
import { sweepWebhooks } from "#lib/features/webhooks/sending.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Engines bound the steps of a run to 1,000; the next night continues. */
const PURGE_STEPS_MAX = 900;

/** Every night: deletes what is past its retention, a minute per rule and round. The rules fail independently. */
export const purgeExpired = inngest.createFunction(
  { id: "purge", triggers: [{ cron: "17 3 * * *" }], retries: 4 },
  async ({ step }) => {
    const deleted: Partial<Record<RetentionRule, number>> = {};
    const problems: unknown[] = [];
    const purge = async (rule: RetentionRule, round: number): Promise<RetentionRule[]> => {
      const part = await step.run(round === 0 ? `purge-${rule}` : `purge-${rule}-${round}`, () =>
        runUseCase({ job: "purge", step: `purge-${rule}` }, (ctx) => applyRetentionRule(ctx, { rule })),
      );
      deleted[rule] = (deleted[rule] ?? 0) + part.deleted;
      return part.hasMore ? [rule] : [];
    };
    let rules = RETENTION_RULE_NAMES;
    for (let [round, steps] = [0, rules.length]; rules.length > 0 && steps <= PURGE_STEPS_MAX; round += 1) {
      const results = await Promise.allSettled(rules.map((rule) => purge(rule, round)));
      problems.push(...results.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
      rules = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
      steps += rules.length;
    }
    if (problems.length > 0) throw problems[0];
    return deleted;
  },
);

/** Every minute. No retries: a failed minute counts as downtime. */
export const recordHealth = inngest.createFunction(
  { id: "record-health", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) =>
    step.run("record-minute", () => runUseCase({ job: "record-health", step: "record-minute" }, recordMinute)),
);

/** Every minute: checks the image storage, resends lost and due events, deletes expired metrics. The parts fail independently. */
export const sweep = inngest.createFunction(
  { id: "sweep", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => {
    const [storage, imports, emailOutbox, erasures, payments, syncs, webhooks, metrics] = await Promise.all([
      step.run("check-storage", () => runUseCase({ job: "sweep", step: "check-storage" }, checkStorage)),
      step.run("sweep-imports", () => runUseCase({ job: "sweep", step: "sweep-imports" }, sweepImports)),
      step.run("sweep-emails", () => runUseCase({ job: "sweep", step: "sweep-emails" }, sweepOutbox)),
      step.run("sweep-erasures", () => runUseCase({ job: "sweep", step: "sweep-erasures" }, sweepErasures)),
      step.run("sweep-payment-events", () => runUseCase({ job: "sweep", step: "sweep-payment-events" }, sweepEvents)),
      step.run("sweep-syncs", () => runUseCase({ job: "sweep", step: "sweep-syncs" }, sweepSyncs)),
      step.run("sweep-webhooks", () => runUseCase({ job: "sweep", step: "sweep-webhooks" }, sweepWebhooks)),
      step.run("purge-metrics", () => runUseCase({ job: "sweep", step: "purge-metrics" }, purgeMetrics)),
    ]);
    return { storage, imports, emailOutbox, erasures, payments, syncs, webhooks, metrics };
  },
);

/** Later rounds are rare; after this many the sweep starts another run. */
const ROUNDS_MAX = 10;

/** Erases what a deleted user left behind: cancels work in progress, waits for it to end, erases. */
export const eraseUser = inngest.createFunction(
  { id: "erase-user", triggers: [on("privacy/erasure.requested")], retries: 8 },
  async ({ event, step }) => {
    const requested = erasureRequested.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "erase-user", step: "erase", user_id: requested.userId, round };
      const erasing = await step.run(`erase-${round}`, () =>
        runUseCase(facts, (ctx) => eraseDeletedUser(ctx, requested)),
      );
      if (erasing.kind === "done") return "erased";
      await step.sleep(`settle-${round}`, (Math.ceil(erasing.afterMs / SECOND_MS) + 1) * SECOND_MS);
    }
    return "left to another run";
  },
);
