import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import type { Task } from "./queries.ts";
import { startTask } from "./start-task.ts";
import { type StepResult, weighProblem } from "./weigh-problem.ts";

type DrawCtx = Ctx<"ai" | "pictures" | "storage">;

/**
 * Where a task's picture lies: always the same place, so that a step which died after storing finds its picture,
 * and one that nobody can guess without our secret, for whoever knows it may see the picture.
 */
const imageKeyOf = (ctx: DrawCtx, { id }: Task): string =>
  `pins/${sha256(signText(ctx.settings.tokenSecret, `pin-image:${id}`)).slice(0, 40)}.jpg`;

const draw = async (ctx: DrawCtx, task: Task): Promise<Uint8Array | AiProblem> => {
  const { keyword, quality, userId } = task;
  const outcome = await ctx.ai.drawPin({ keyword, quality, safetyId: sha256(userId) });
  if (outcome.kind === "problem") return outcome.problem;
  const prepared = await ctx.pictures.preparePin(outcome.image, ctx.settings.pinCanvas);
  return prepared?.jpeg ?? { kind: "unusable", text: "The image model sent a picture that cannot be read." };
};

/** A place that is taken keeps its picture: its address is cached for ever. */
const storeOnce = async (ctx: DrawCtx, key: string, jpeg: Uint8Array): Promise<void> => {
  if (!(await ctx.storage.get(key))) await ctx.storage.put(key, jpeg);
};

/**
 * Has the picture of a task's pin drawn, fitted to the canvas, stored (DESIGN §5.2, A-15, D10). Running it again is
 * harmless: a picture that is stored is not drawn again. `attempt` counts the tries of this step from 0.
 */
export const drawTaskImage = async (ctx: DrawCtx, input: { taskId: string; attempt: number }): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.imageKey !== null) return { kind: "stored" };
  const imageKey = imageKeyOf(ctx, task);
  if (!(await ctx.storage.get(imageKey))) {
    const drawn = await draw(ctx, task);
    if (!(drawn instanceof Uint8Array)) return weighProblem(ctx, { taskId, attempt, problem: drawn });
    await storeOnce(ctx, imageKey, drawn);
  }
  await ctx.db
    .update(generationTasks)
    .set({ imageKey })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.imageKey), isNull(generationTasks.finishedAt)));
  return { kind: "stored" };
};
