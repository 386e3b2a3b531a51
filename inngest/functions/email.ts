import { deliverEmail } from "#lib/features/email/delivery.ts";
import { emailQueued } from "#lib/features/email/schema.ts";
import { sendReset } from "#lib/features/identity/password-reset.ts";
import { sendVerification } from "#lib/features/identity/registration.ts";
import { resetRequested, verificationRequested } from "#lib/features/identity/schema.ts";
import { sendDigests as run } from "#lib/features/notifications/digests.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Every minute: sends digests of what failed. The next run is the retry. */
export const sendDigests = inngest.createFunction(
  { id: "send-digests", triggers: [{ cron: "* * * * *" }], retries: 0 },
  async ({ step }) => step.run("send", () => runUseCase({ job: "send-digests", step: "send" }, run)),
);

/** Sends a queued email. After its retries the sweep tries again. */
export const sendQueuedEmail = inngest.createFunction(
  { id: "send-email", triggers: [on("email/email.queued")], retries: 4 },
  async ({ event, step }) => {
    const queued = emailQueued.parse(event.data);
    return step.run("send", () => runUseCase({ job: "send-email", step: "send" }, (ctx) => deliverEmail(ctx, queued)));
  },
);

/** Sends a password reset email, if the address belongs to a user. */
export const sendResetEmail = inngest.createFunction(
  { id: "send-reset", triggers: [on("identity/reset.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = resetRequested.parse(event.data);
    await step.run("send", async () => {
      await runUseCase({ job: "send-reset", step: "send" }, (ctx) => sendReset(ctx, request));
    });
  },
);

export const sendVerificationEmail = inngest.createFunction(
  { id: "send-verification", triggers: [on("identity/verification.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = verificationRequested.parse(event.data);
    const facts = { job: "send-verification", step: "send", user_id: request.userId };
    await step.run("send", () => runUseCase(facts, (ctx) => sendVerification(ctx, request)));
  },
);
