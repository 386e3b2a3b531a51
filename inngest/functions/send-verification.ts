import { jobContext } from "#lib/composition.ts";
import { verificationRequested } from "#lib/features/identity/schema.ts";
import { sendVerification } from "#lib/features/identity/send-verification.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";

/** Sends a verification mail; the mail server being down is a matter of trying again. */
export const sendVerificationMail = inngest.createFunction(
  { id: "send-verification", triggers: [on("identity/verification.requested")], retries: 8 },
  async ({ event, step }) => {
    const request = verificationRequested.parse(event.data);
    await step.run("send", () => sendVerification(jobContext("send-verification"), request));
  },
);
