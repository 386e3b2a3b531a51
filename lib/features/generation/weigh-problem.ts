import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { failTask } from "./fail-task.ts";
import { decideRetry } from "./policy.ts";

/** How a step of a task ended. `finished`: there was nothing left to do; `failed`: the task was given up here. */
export type StepResult =
  | { kind: "stored" | "finished" | "failed" }
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
  await ctx.db
    .update(generationTasks)
    .set({ status: "RETRY", reason: problem.text })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
  return { kind: "retry", afterSeconds: decision.afterSeconds, text: problem.text };
};
