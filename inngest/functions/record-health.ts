import { recordMinute } from "#lib/features/health/uptime.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/**
 * Every minute: records that engine, app and database worked together. It is not tried again: a minute in
 * which this fails is a minute in which the product did not work.
 */
export const recordHealth = inngest.createFunction(
  { id: "record-health", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) =>
    step.run("record-minute", () => runVerb({ job: "record-health", step: "record-minute" }, recordMinute)),
);
