import type { FullCtx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { claimPin } from "#lib/features/publishing/claim-pin.ts";
import { createPin } from "#lib/features/publishing/create-pin.ts";
import { lookForPin } from "#lib/features/publishing/look-for-pin.ts";
import { releasePin } from "#lib/features/publishing/release-pin.ts";
import { publishRequested } from "#lib/features/publishing/schema.ts";
import { settleAttempt } from "#lib/features/publishing/settle-attempt.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Bounds a run's steps, at most six a round; the sweep starts another run for a pin that needs more. */
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
    // A duration, since the engine's clock may differ from the database's; engines count in whole seconds.
    const nap = (name: string, ms: number) => step.sleep(name, Math.ceil(ms / SECOND_MS) * SECOND_MS);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const run = <R>(name: string, verb: (ctx: FullCtx) => Promise<R>) =>
        step.run(`${name}-${round}`, () =>
          runVerb({ job: "publish-pin", step: name, round, pin_id: pinId, generation: scheduleGeneration }, verb),
        );
      const claim = await run("claim-pin", (ctx) => claimPin(ctx, scheduled));
      if (claim.kind === "done") return claim.result;
      if (claim.kind === "wait") {
        await nap(`nap-${round}`, claim.afterMs);
        continue;
      }
      const attempt = { ...scheduled, attemptId: claim.attemptId };
      await run("create-pin", (ctx) => createPin(ctx, attempt));
      let move = await run("settle-attempt", (ctx) => settleAttempt(ctx, attempt));
      if (move.kind === "look") {
        await nap(`nap-before-look-${round}`, move.afterMs);
        move = await run("look-for-pin", (ctx) => lookForPin(ctx, attempt));
      }
      if (move.kind === "done") return move.result;
      await nap(`nap-${round}`, move.afterMs);
    }
    return "left to the sweep";
  },
);
