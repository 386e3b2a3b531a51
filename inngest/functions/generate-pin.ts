import { RetryAfterError } from "inngest";
import { jobContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { toAppError } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { STEP_RETRIES } from "#lib/features/generation/constants.ts";
import { drawTaskImage } from "#lib/features/generation/draw-task-image.ts";
import { failTask } from "#lib/features/generation/fail-task.ts";
import { finishTask } from "#lib/features/generation/finish-task.ts";
import { generateRequested } from "#lib/features/generation/schema.ts";
import type { StepResult } from "#lib/features/generation/weigh-problem.ts";
import { writeTaskCopy } from "#lib/features/generation/write-task-copy.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";

interface StepOf<R> {
  step: string;
  taskId: string;
  attempt: number;
  verb: (ctx: FullCtx) => Promise<R>;
}

/** Calls one verb and writes one wide event about it. */
const logged = async <R extends { kind: string }>({ step, taskId, attempt, verb }: StepOf<R>): Promise<R> => {
  const log = createWideEvent({ at: new Date().toISOString(), job: "generate-pin", step, task_id: taskId, attempt });
  const startedAt = performance.now();
  try {
    const result = await verb(jobContext("generate-pin", log));
    log.set({ outcome: result.kind });
    return result;
  } catch (error) {
    const { code, cause } = toAppError(error);
    log.set({ outcome: code, problem: cause instanceof Error ? cause.message : null });
    throw error;
  } finally {
    log.set({ ms: Math.round(performance.now() - startedAt) });
    writeEvent(log);
  }
};

/** "Not now" becomes the error by which the engine waits as long as asked. */
const orAgain = async (result: Promise<StepResult>): Promise<StepResult["kind"]> => {
  const ended = await result;
  if (ended.kind === "retry") throw new RetryAfterError(ended.text, ended.afterSeconds * SECOND_MS);
  return ended.kind;
};

/**
 * Makes one pin (DESIGN §5.2): words and picture side by side, then the draft. What the models answer, and whether
 * that ends a task, the verbs decide. Only what nobody foresaw (a database or disk that stays away) exhausts a step's
 * retries and ends in `give-up`.
 */
export const generatePin = inngest.createFunction(
  { id: "generate-pin", triggers: [on("pins/generate.requested")], retries: STEP_RETRIES },
  async ({ event, step, attempt }) => {
    const { taskId } = generateRequested.parse(event.data);
    const task = { taskId, attempt };
    try {
      await Promise.all([
        step.run("write-copy", () =>
          orAgain(logged({ ...task, step: "write-copy", verb: (ctx) => writeTaskCopy(ctx, task) })),
        ),
        step.run("draw-image", () =>
          orAgain(logged({ ...task, step: "draw-image", verb: (ctx) => drawTaskImage(ctx, task) })),
        ),
      ]);
      await step.run("finish", () => logged({ ...task, step: "finish", verb: (ctx) => finishTask(ctx, task) }));
    } catch {
      // Each failing step was logged when it failed; here only the consequence is drawn.
      await step.run("give-up", () => logged({ ...task, step: "give-up", verb: (ctx) => failTask(ctx, { taskId }) }));
    }
  },
);
