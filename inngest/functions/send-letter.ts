import { deliverLetter } from "#lib/features/letters/deliver-letter.ts";
import { letterPosted } from "#lib/features/letters/schema.ts";
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
