import { askWeeks as ask } from "#lib/features/analytics/weekly.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/**
 * Has figures fetched where it is early on Monday, or on Tuesday for those who were not told, for the mail of the week:
 * every quarter of an hour, since zones differ by as little. The next run is the next try.
 */
export const askWeeks = inngest.createFunction(
  { id: "ask-weeks", triggers: [{ cron: "*/15 * * * *" }], retries: 0 },
  async ({ step }) => step.run("ask", () => runVerb({ job: "ask-weeks", step: "ask" }, ask)),
);
