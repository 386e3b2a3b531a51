import { sendVerification } from "#lib/features/identity/registration.ts";
import { verificationRequested } from "#lib/features/identity/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Sends a verification mail; the mail server being down is a matter of trying again. */
export const sendVerificationMail = inngest.createFunction(
  { id: "send-verification", triggers: [on("identity/verification.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = verificationRequested.parse(event.data);
    const facts = { job: "send-verification", step: "send", user_id: request.userId };
    await step.run("send", () => runVerb(facts, (ctx) => sendVerification(ctx, request)));
  },
);
