import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { SILENT_AFTER_MS } from "./constants.ts";
import { failTask } from "./fail-task.ts";
import { decideRetry } from "./policy.ts";
import { wakeBy } from "./queries.ts";

/**
 * How a step of a task ended. `finished`: there was nothing left to do; `failed`: the task was given up here;
 * `no_place`: no picture was drawn, and that is no try; `isTaken`: another run of the task waits or draws.
 */
export type StepResult =
  | { kind: "stored" | "finished" | "failed" }
  | { kind: "no_place"; afterSeconds: number; isTaken: boolean }
  | { kind: "retry"; afterSeconds: number; text: string };

/**
 * Draws the consequence of a model's problem: the task waits for another try, or it fails now, so that its credits
 * return at once instead of after the other step. The text is kept as the reason, should it come to that.
 */
export const weighProblem = async (
  ctx: Ctx,
  input: { taskId: string; attempt: number; problem: AiProblem },
): Promise<StepResult> => {
  const { taskId, attempt, problem } = input;
  const decision = decideRetry(problem, attempt);
  ctx.log.set({ ai_problem: problem.kind, ai_detail: problem.detail, attempt, decision: decision.kind });
  if (decision.kind === "fail") {
    await failTask(ctx, { taskId, reason: problem.text });
    return { kind: "failed" };
  }
  const silentMs = decision.afterSeconds * SECOND_MS + SILENT_AFTER_MS;
  await ctx.db
    .update(generationTasks)
    .set({ status: "RETRY", reason: problem.text, wakeAt: wakeBy(addMs(await databaseTime(ctx), silentMs)) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
  return { kind: "retry", afterSeconds: decision.afterSeconds, text: problem.text };
};
