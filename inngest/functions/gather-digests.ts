import { gatherDigests as gather } from "#lib/features/notifications/digests.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/** Every minute: tells users by one mail what failed or was lost. The next minute is the next try. */
export const gatherDigests = inngest.createFunction(
  { id: "gather-digests", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => step.run("gather", () => runVerb({ job: "gather-digests", step: "gather" }, gather)),
);
