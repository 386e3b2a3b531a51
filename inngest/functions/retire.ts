import type { FullCtx } from "#lib/context.ts";
import { retireStates } from "#lib/features/accounts/retire-states.ts";
import { retireCheckouts } from "#lib/features/billing/retire-checkouts.ts";
import { retireEvents as retirePaymentEvents } from "#lib/features/billing/retire-events.ts";
import { retirePayers } from "#lib/features/billing/retire-payers.ts";
import { retireMessages } from "#lib/features/contact/retire-messages.ts";
import { retireEntries } from "#lib/features/digests/retire-entries.ts";
import { retireGroups } from "#lib/features/generation/retire-groups.ts";
import { retireImages } from "#lib/features/generation/retire-images.ts";
import { retireMinutes } from "#lib/features/health/retire-minutes.ts";
import { retireEmailChanges } from "#lib/features/identity/retire-email-changes.ts";
import { retireLogins } from "#lib/features/identity/retire-logins.ts";
import { retireResets } from "#lib/features/identity/retire-resets.ts";
import { retireVerifications } from "#lib/features/identity/retire-verifications.ts";
import { retireLetters } from "#lib/features/letters/retire-letters.ts";
import { retireChecks } from "#lib/features/links/retire-checks.ts";
import { retireEvents } from "#lib/features/live/retire-events.ts";
import { retirePins } from "#lib/features/pins/retire-pins.ts";
import { retireSubmissions } from "#lib/features/pins/retire-submissions.ts";
import { retireVideos } from "#lib/features/videos/retire-videos.ts";
import { inngest } from "../client.ts";
import { runVerb } from "../run-verb.ts";

/** What is kept for a time, and who deletes it afterwards. */
const PARTS: Record<string, (ctx: FullCtx) => Promise<number>> = {
  logins: retireLogins,
  verifications: retireVerifications,
  resets: retireResets,
  "email-changes": retireEmailChanges,
  states: retireStates,
  letters: retireLetters,
  "digest-entries": retireEntries,
  messages: retireMessages,
  groups: retireGroups,
  pins: retirePins,
  videos: retireVideos,
  images: retireImages,
  submissions: retireSubmissions,
  "link-checks": retireChecks,
  events: retireEvents,
  minutes: retireMinutes,
  payers: retirePayers,
  checkouts: retireCheckouts,
  "payment-events": retirePaymentEvents,
};

/** Every night: deletes what is kept no longer (DESIGN §5.6). One part's failure stops no other. */
export const retire = inngest.createFunction(
  { id: "retire", triggers: [{ cron: "17 3 * * *" }], retries: 4 },
  async ({ step }) => {
    const deleted = await Promise.all(
      Object.entries(PARTS).map(async ([part, retirePart]): Promise<[string, number]> => {
        const name = `retire-${part}`;
        return [part, await step.run(name, () => runVerb({ job: "retire", step: name }, retirePart))];
      }),
    );
    return Object.fromEntries(deleted);
  },
);
