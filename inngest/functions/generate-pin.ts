import { NonRetriableError, RetryAfterError } from "inngest";
import type { FullCtx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { PLACE_ROUNDS_MAX, STEP_RETRIES, UNFORESEEN_TRIES } from "#lib/features/generation/constants.ts";
import { drawTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { generateRequested } from "#lib/features/generation/schema.ts";
import { finishTask, giveUpTask, type StepResult } from "#lib/features/generation/tasks.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** "Not now" becomes the error by which the engine waits as long as asked. */
const orAgain = async (result: Promise<StepResult>): Promise<Exclude<StepResult, { kind: "retry" }>> => {
  const ended = await result;
  if (ended.kind === "retry") throw new RetryAfterError(ended.text, ended.afterSeconds * SECOND_MS);
  return ended;
};

/**
 * Makes one pin (DESIGN §5.2): words and picture side by side, then the draft. What the models answer, and whether
 * that ends a task, the verbs decide. What nobody foresaw (a disk that stays full) ends in `give-up` when it comes at
 * a step's fifth try or later, whatever the earlier ones met. Waiting for a place to draw is a round, not a try.
 */
export const generatePin = inngest.createFunction(
  { id: "generate-pin", triggers: [on("pins/generate.requested")], retries: STEP_RETRIES },
  async ({ event, step, attempt }) => {
    const { taskId } = generateRequested.parse(event.data);
    const call = <R>(name: string, verb: (ctx: FullCtx) => Promise<R>) =>
      runVerb({ job: "generate-pin", step: name, task_id: taskId, attempt }, verb);
    const callOrGiveUp = async <R>(name: string, verb: (ctx: FullCtx) => Promise<R>): Promise<R> => {
      try {
        return await call(name, verb);
      } catch (error) {
        if (attempt + 1 < UNFORESEEN_TRIES) throw error;
        throw new NonRetriableError(messageOf(error));
      }
    };
    const drawImage = async (): Promise<"drawn" | "left to another run"> => {
      let isTaken = false;
      for (let round = 0; round < PLACE_ROUNDS_MAX; round += 1) {
        const ended = await step.run(`draw-image-${round}`, () =>
          orAgain(callOrGiveUp("draw-image", (ctx) => drawTaskImage(ctx, { taskId, attempt }))),
        );
        if (ended.kind !== "no_place") return "drawn";
        isTaken = ended.isTaken;
        await step.sleep(`wait-for-place-${round}`, ended.afterSeconds * SECOND_MS);
      }
      // Who draws gives up, if need be; should that run die as well, the sweep asks for another.
      if (isTaken) return "left to another run";
      throw new NonRetriableError("There was no place to draw for hours.");
    };
    try {
      const [, image] = await Promise.all([
        step.run("write-copy", () =>
          orAgain(callOrGiveUp("write-copy", (ctx) => writeTaskCopy(ctx, { taskId, attempt }))),
        ),
        drawImage(),
      ]);
      if (image === "left to another run") return image;
      await step.run("finish", () => callOrGiveUp("finish", (ctx) => finishTask(ctx, { taskId })));
    } catch {
      // Each failing step was logged when it failed; here only the consequence is drawn.
      await step.run("give-up", () => call("give-up", (ctx) => giveUpTask(ctx, { taskId })));
    }
  },
);
