import { deliverLetter } from "#lib/features/email/delivery.ts";
import { letterPosted } from "#lib/features/email/schema.ts";
import { sendReset } from "#lib/features/identity/password-reset.ts";
import { sendVerification } from "#lib/features/identity/registration.ts";
import { resetRequested, verificationRequested } from "#lib/features/identity/schema.ts";
import { gatherDigests as gather } from "#lib/features/notifications/digests.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Every minute: tells users by one mail what failed or was lost. The next minute is the next try. */
export const gatherDigests = inngest.createFunction(
  { id: "gather-digests", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => step.run("gather", () => runVerb({ job: "gather-digests", step: "gather" }, gather)),
);

/** Sends a stored mail; the mail server being down is a matter of trying again, and of the sweep after that. */
export const sendLetter = inngest.createFunction(
  { id: "send-letter", triggers: [on("letters/letter.posted")], retries: 4 },
  async ({ event, step }) => {
    const posted = letterPosted.parse(event.data);
    return step.run("send", () => runVerb({ job: "send-letter", step: "send" }, (ctx) => deliverLetter(ctx, posted)));
  },
);

/** Sends a reset mail, if there is anybody to send it to (R-FPW-04); a mail server that is down is tried again. */
export const sendResetMail = inngest.createFunction(
  { id: "send-reset", triggers: [on("identity/reset.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = resetRequested.parse(event.data);
    await step.run("send", async () => {
      await runVerb({ job: "send-reset", step: "send" }, (ctx) => sendReset(ctx, request));
    });
  },
);

/** Sends a verification mail; the mail server being down is a matter of trying again. */
export const sendVerificationMail = inngest.createFunction(
  { id: "send-verification", triggers: [on("identity/verification.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = verificationRequested.parse(event.data);
    const facts = { job: "send-verification", step: "send", user_id: request.userId };
    await step.run("send", () => runVerb(facts, (ctx) => sendVerification(ctx, request)));
  },
);
