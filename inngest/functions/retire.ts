import type { FullCtx } from "#lib/context.ts";
import { retireStates } from "#lib/features/accounts/oauth-connection.ts";
import { retireCheckouts } from "#lib/features/billing/checkout.ts";
import { retirePayers } from "#lib/features/billing/subscriptions.ts";
import { retireEvents as retirePaymentEvents } from "#lib/features/billing/webhooks.ts";
import { retireMessages } from "#lib/features/contact/messages.ts";
import { retireLetters } from "#lib/features/email/delivery.ts";
import { retireGroups } from "#lib/features/generation/groups.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { retireMinutes } from "#lib/features/health/uptime.ts";
import { retireEmailChanges } from "#lib/features/identity/email-change.ts";
import { retireResets } from "#lib/features/identity/password-reset.ts";
import { retireVerifications } from "#lib/features/identity/registration.ts";
import { retireLogins } from "#lib/features/identity/sessions.ts";
import { retireChecks } from "#lib/features/links/checks.ts";
import { retireEntries } from "#lib/features/notifications/digests.ts";
import { retirePins } from "#lib/features/pins/retention.ts";
import { retireSubmissions } from "#lib/features/pins/submissions.ts";
import { retireEvents } from "#lib/features/realtime/events.ts";
import { retireVideos } from "#lib/features/videos/saved-videos.ts";
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
