import { SECOND_MS } from "#lib/core/time.ts";
import { endpointDue } from "#lib/features/webhooks/schema.ts";
import { sendNext } from "#lib/features/webhooks/sending.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Bounds a run; the sweep starts another one for what is left. */
const ROUNDS_MAX = 200;

/** Sends the due messages of an endpoint one by one, so that a slow endpoint takes up one place of many. */
export const sendWebhooks = inngest.createFunction(
  {
    id: "send-webhooks",
    triggers: [on("webhooks/endpoint.due")],
    concurrency: [{ limit: 40 }, { key: "event.data.endpointId", limit: 1 }],
    retries: 2,
  },
  async ({ event, step }) => {
    const due = endpointDue.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const move = await step.run(`send-${round}`, () =>
        runUseCase({ job: "send-webhooks", step: "send", round }, (ctx) => sendNext(ctx, due)),
      );
      if (move.kind === "idle") return "done";
      if (move.kind === "wait") await step.sleep(`delay-${round}`, Math.ceil(move.afterMs / SECOND_MS) * SECOND_MS);
    }
    return "left to the sweep";
  },
);
