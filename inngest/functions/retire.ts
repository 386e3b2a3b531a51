import { retireStates } from "#lib/features/accounts/retire-states.ts";
import { retireGroups } from "#lib/features/generation/retire-groups.ts";
import { retireImages } from "#lib/features/generation/retire-images.ts";
import { retireLogins } from "#lib/features/identity/retire-logins.ts";
import { retireVerifications } from "#lib/features/identity/retire-verifications.ts";
import { retireEvents } from "#lib/features/live/retire-events.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/** Every night: deletes what is kept no longer (DESIGN §5.6). One part's failure stops no other. */
export const retire = inngest.createFunction(
  { id: "retire", triggers: [{ cron: "17 3 * * *" }], retries: 4 },
  async ({ step }) => {
    const [logins, verifications, states, groups, images, events] = await Promise.all([
      step.run("retire-logins", () => runVerb({ job: "retire", step: "retire-logins" }, retireLogins)),
      step.run("retire-verifications", () =>
        runVerb({ job: "retire", step: "retire-verifications" }, retireVerifications),
      ),
      step.run("retire-states", () => runVerb({ job: "retire", step: "retire-states" }, retireStates)),
      step.run("retire-groups", () => runVerb({ job: "retire", step: "retire-groups" }, retireGroups)),
      step.run("retire-images", () => runVerb({ job: "retire", step: "retire-images" }, retireImages)),
      step.run("retire-events", () => runVerb({ job: "retire", step: "retire-events" }, retireEvents)),
    ]);
    return { logins, verifications, states, groups, images, events };
  },
);
