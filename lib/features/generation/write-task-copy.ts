import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { startTask } from "./start-task.ts";
import { type StepResult, weighProblem } from "./weigh-problem.ts";

const writeAndStore = async (ctx: Ctx<"ai">, input: { taskId: string; attempt: number }): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.title !== null) return { kind: "stored" };
  const { keyword, url, userId } = task;
  const outcome = await ctx.ai.writeCopy({ keyword, address: url, safetyId: sha256(userId) });
  if (outcome.kind === "problem") return weighProblem(ctx, { taskId, attempt, problem: outcome.problem });
  await ctx.db
    .update(generationTasks)
    .set(outcome.copy)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.title), isNull(generationTasks.finishedAt)));
  return { kind: "stored" };
};

/**
 * Has the words of a task's pin written and stores them (DESIGN §5.2). Running it again is harmless: with words
 * stored, or the task finished, it asks nobody. When the task fails here, the next is called up. `attempt` counts the tries of this step from 0.
 */
export const writeTaskCopy = async (
  ctx: Ctx<"ai" | "jobs">,
  input: { taskId: string; attempt: number },
): Promise<StepResult> => {
  const ended = await writeAndStore(ctx, input);
  if (ended.kind === "failed") await callUpTasks(ctx);
  return ended;
};
