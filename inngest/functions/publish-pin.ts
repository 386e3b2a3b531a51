import type { FullCtx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { Move } from "#lib/features/publishing/policy.ts";
import { publishDuePin, releasePin, takeTurn } from "#lib/features/publishing/publisher.ts";
import { lookForPin } from "#lib/features/publishing/reconciliation.ts";
import { resendPin } from "#lib/features/publishing/retries.ts";
import { publishRequested } from "#lib/features/publishing/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Bounds a run's steps, at most four a round; a pin that needs more gets another run. */
const ROUNDS_MAX = 100;

/** Steps of one account at a time. More than one, for a step may wait up to a second for its pin's moment. */
const ACCOUNT_STEPS_MAX = 5;

/**
 * Publishes one scheduled pin once (DESIGN §5.5). Order and sleeping only: what time it is and what follows, the verbs
 * decide inside their steps. A sleeping run holds nobody up, nor does a step that waits, unless five of its account do;
 * the calls of one account go out one at a time (`takeTurn`).
 */
export const publishPin = inngest.createFunction(
  {
    id: "publish-pin",
    triggers: [on("pins/publish.requested")],
    concurrency: { key: "event.data.accountId", limit: ACCOUNT_STEPS_MAX },
    retries: 4,
    onFailure: async ({ event, step }) => {
      const scheduled = publishRequested.parse(event.data.event.data);
      const facts = { job: "publish-pin", step: "release-pin", pin_id: scheduled.pinId };
      await step.run("release-pin", () => runVerb(facts, (ctx) => releasePin(ctx, scheduled)));
    },
  },
  async ({ event, step }) => {
    const requested = publishRequested.parse(event.data);
    const { pinId, accountId, scheduleGeneration } = requested;
    const scheduled = { pinId, scheduleGeneration };
    const facts = { job: "publish-pin", pin_id: pinId, generation: scheduleGeneration };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const run = <R>(name: string, verb: (ctx: FullCtx) => Promise<R>) =>
        step.run(`${name}-${round}`, () => runVerb({ ...facts, step: name, round }, verb));
      const published = await run("publish-due", (ctx) => publishDuePin(ctx, { ...scheduled, accountId }));
      let move: Move = published;
      if (published.kind === "look") {
        const attempt = { ...scheduled, attemptId: published.attemptId };
        await step.sleep(`nap-before-look-${round}`, Math.ceil(published.afterMs / SECOND_MS) * SECOND_MS);
        move = await run("look-for-pin", (ctx) => takeTurn(accountId, () => lookForPin(ctx, attempt)));
      }
      if (move.kind === "done") return move.result;
      // A duration, since the engine's clock may differ from the database's; what is left of a second, the step waits.
      const napMs = Math.floor(move.afterMs / SECOND_MS) * SECOND_MS;
      if (napMs > 0) await step.sleep(`nap-${round}`, napMs);
    }
    return step.run("resend-pin", () => runVerb({ ...facts, step: "resend-pin" }, (ctx) => resendPin(ctx, requested)));
  },
);
