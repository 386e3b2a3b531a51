import { sweepChecks } from "#lib/features/links/checks.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

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
