import "server-only";
import type { Ctx } from "#lib/context.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { failTask } from "./fail-task.ts";

/** Gives a task up whose run cannot go on (see {@link failTask}), and calls up the next one in its seat. */
export const giveUpTask = async (ctx: Ctx<"jobs">, { taskId }: { taskId: string }): ReturnType<typeof failTask> => {
  const failed = await failTask(ctx, { taskId });
  await callUpTasks(ctx);
  return failed;
};
