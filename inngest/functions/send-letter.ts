import { deliverLetter } from "#lib/features/email/delivery.ts";
import { letterPosted } from "#lib/features/email/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Sends a stored mail; the mail server being down is a matter of trying again, and of the sweep after that. */
export const sendLetter = inngest.createFunction(
  { id: "send-letter", triggers: [on("letters/letter.posted")], retries: 4 },
  async ({ event, step }) => {
    const posted = letterPosted.parse(event.data);
    return step.run("send", () => runVerb({ job: "send-letter", step: "send" }, (ctx) => deliverLetter(ctx, posted)));
  },
);
