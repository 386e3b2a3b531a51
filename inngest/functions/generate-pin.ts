import { NonRetriableError, RetryAfterError } from "inngest";
import type { FullCtx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { SLOT_ROUNDS_MAX, STEP_RETRIES, UNEXPECTED_ERROR_TRIES } from "#lib/features/generation/constants.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { generateRequested } from "#lib/features/generation/schema.ts";
import { readTaskPage } from "#lib/features/generation/task-pages.ts";
import { sweepTasks as sweep } from "#lib/features/generation/task-recovery.ts";
import { finishTask, giveUpTask, type StepResult } from "#lib/features/generation/tasks.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";
import { scanEveryQuarterMinute } from "../scans.ts";

/** Converts a `retry` result to the error that makes the engine wait for the requested time. */
const orRetry = async (result: Promise<StepResult>): Promise<Exclude<StepResult, { kind: "retry" }>> => {
  const ended = await result;
  if (ended.kind === "retry") throw new RetryAfterError(ended.text, ended.afterSeconds * SECOND_MS);
  return ended;
};

/**
 * Generates one pin: reads its page, if any, then text and image in parallel, then the draft. The use cases handle answers of the models. An
 * unexpected error (such as a full disk) at a step's fifth attempt or later ends in `give-up`.
 */
export const generatePin = inngest.createFunction(
  { id: "generate-pin", triggers: [on("pins/generate.requested")], retries: STEP_RETRIES },
  async ({ event, step, attempt }) => {
    const { taskId } = generateRequested.parse(event.data);
    const call = <R>(name: string, useCase: (ctx: FullCtx) => Promise<R>) =>
      runUseCase({ job: "generate-pin", step: name, task_id: taskId, attempt }, useCase);
    const callOrGiveUp = async <R>(name: string, useCase: (ctx: FullCtx) => Promise<R>): Promise<R> => {
      try {
        return await call(name, useCase);
      } catch (error) {
        if (attempt + 1 < UNEXPECTED_ERROR_TRIES) throw error;
        throw new NonRetriableError(messageOf(error));
      }
    };
    const readPage = async (): Promise<"ready" | "ended"> => {
      let waitedSeconds = 0;
      for (let round = 0; ; round += 1) {
        const input = { taskId, waitedSeconds };
        const read = await step.run(`read-page-${round}`, () =>
          callOrGiveUp("read-page", (ctx) => readTaskPage(ctx, input)),
        );
        if (read.kind !== "later") return read.kind;
        waitedSeconds += read.afterSeconds;
        await step.sleep(`wait-for-site-${round}`, read.afterSeconds * SECOND_MS);
      }
    };
    const generateImage = async (): Promise<"drawn" | "left to another run" | "waits for the storage"> => {
      let isTaken = false;
      for (let round = 0; round < SLOT_ROUNDS_MAX; round += 1) {
        const ended = await step.run(`generate-image-${round}`, () =>
          orRetry(callOrGiveUp("generate-image", (ctx) => generateTaskImage(ctx, { taskId, attempt }))),
        );
        if (ended.kind === "storage_down") return "waits for the storage";
        if (ended.kind !== "no_slot") return "drawn";
        isTaken = ended.isTaken;
        await step.sleep(`wait-for-slot-${round}`, ended.afterSeconds * SECOND_MS);
      }
      // The other run fails the task if need be. If that run dies too, the sweep resends the event.
      if (isTaken) return "left to another run";
      throw new NonRetriableError("No image slot was free for hours.");
    };
    try {
      if ((await readPage()) === "ended") return "ended";
      const [, image] = await Promise.all([
        step.run("write-copy", () =>
          orRetry(callOrGiveUp("write-copy", (ctx) => writeTaskCopy(ctx, { taskId, attempt }))),
        ),
        generateImage(),
      ]);
      if (image !== "drawn") return image;
      await step.run("finish", () => callOrGiveUp("finish", (ctx) => finishTask(ctx, { taskId })));
    } catch {
      // The failed step has already been logged.
      await step.run("give-up", () => call("give-up", (ctx) => giveUpTask(ctx, { taskId })));
    }
  },
);

/** Every 15 seconds: continues tasks whose run the engine lost, and dispatches waiting ones. */
export const sweepTasks = inngest.createFunction(
  { id: "sweep-tasks", triggers: [{ cron: "* * * * *" }], retries: 1 },
  ({ step }) => scanEveryQuarterMinute(step, (round) => runUseCase({ job: "sweep-tasks", step: "scan", round }, sweep)),
);
