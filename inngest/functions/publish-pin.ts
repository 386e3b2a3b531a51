import type { FullCtx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { lookForPin } from "#lib/features/publishing/look-for-pin.ts";
import type { Move } from "#lib/features/publishing/policy.ts";
import { publishPin as publishDuePin } from "#lib/features/publishing/publish-pin.ts";
import { releasePin } from "#lib/features/publishing/release-pin.ts";
import { publishRequested } from "#lib/features/publishing/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Bounds a run's steps, at most four a round; the sweep starts another run for a pin that needs more. */
const ROUNDS_MAX = 100;

/**
 * Publishes one scheduled pin once (DESIGN §5.5). Order and sleeping only: what time it is and what follows, the verbs
 * decide inside their steps. Steps of one account run one at a time; a sleeping run holds nobody up.
 */
export const publishPin = inngest.createFunction(
  {
    id: "publish-pin",
    triggers: [on("pins/publish.requested")],
    concurrency: { key: "event.data.accountId", limit: 1 },
    retries: 4,
    onFailure: async ({ event, step }) => {
      const scheduled = publishRequested.parse(event.data.event.data);
      const facts = { job: "publish-pin", step: "release-pin", pin_id: scheduled.pinId };
      await step.run("release-pin", () => runVerb(facts, (ctx) => releasePin(ctx, scheduled)));
    },
  },
  async ({ event, step }) => {
    const { pinId, scheduleGeneration } = publishRequested.parse(event.data);
    const scheduled = { pinId, scheduleGeneration };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const run = <R>(name: string, verb: (ctx: FullCtx) => Promise<R>) =>
        step.run(`${name}-${round}`, () =>
          runVerb({ job: "publish-pin", step: name, round, pin_id: pinId, generation: scheduleGeneration }, verb),
        );
      const published = await run("publish-due", (ctx) => publishDuePin(ctx, scheduled));
      let move: Move = published;
      if (published.kind === "look") {
        const attempt = { ...scheduled, attemptId: published.attemptId };
        await step.sleep(`nap-before-look-${round}`, Math.ceil(published.afterMs / SECOND_MS) * SECOND_MS);
        move = await run("look-for-pin", (ctx) => lookForPin(ctx, attempt));
      }
      if (move.kind === "done") return move.result;
      // A duration, since the engine's clock may differ from the database's; what is left of a second, the step waits.
      const napMs = Math.floor(move.afterMs / SECOND_MS) * SECOND_MS;
      if (napMs > 0) await step.sleep(`nap-${round}`, napMs);
    }
    return "left to the sweep";
  },
);
