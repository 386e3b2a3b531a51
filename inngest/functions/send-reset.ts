import { sendReset } from "#lib/features/identity/password-reset.ts";
import { resetRequested } from "#lib/features/identity/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

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
