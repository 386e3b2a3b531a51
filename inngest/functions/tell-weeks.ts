import { tellWeeks as tell } from "#lib/features/analytics/weekly.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/**
 * Tells of the week where it is Monday or Tuesday and eight o'clock or later: every quarter of an hour, since zones
 * differ by as little. Apart from `ask-weeks`, whose failure holds up no mail. The next run is the next try.
 */
export const tellWeeks = inngest.createFunction(
  { id: "tell-weeks", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => step.run("tell", () => runVerb({ job: "tell-weeks", step: "tell" }, tell)),
);
