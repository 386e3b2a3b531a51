import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import { nameImage } from "./name-image.ts";
import type { Task } from "./queries.ts";
import { startTask } from "./start-task.ts";
import { type StepResult, weighProblem } from "./weigh-problem.ts";

type DrawCtx = Ctx<"ai" | "pictures" | "storage">;

type Drawn =
  | { kind: "drawn"; jpeg: Uint8Array }
  | Exclude<Awaited<ReturnType<DrawCtx["ai"]["drawPin"]>>, { kind: "drawn" }>;

const draw = async (ctx: DrawCtx, task: Task, imageKey: string): Promise<Drawn> => {
  const { id, keyword, quality, userId } = task;
  // The line may be long: meanwhile the task may have ended, or a run that was sent again may have drawn the picture.
  const isNeeded = async () => (await startTask(ctx, id)) !== null && !(await ctx.storage.get(imageKey));
  const outcome = await ctx.ai.drawPin({ keyword, quality, safetyId: sha256(userId), isNeeded });
  if (outcome.kind !== "drawn") return outcome;
  const prepared = await ctx.pictures.preparePin(outcome.image, ctx.settings.pinCanvas);
  if (prepared) return { kind: "drawn", jpeg: prepared.jpeg };
  const text = "The image model sent a picture that cannot be read.";
  return { kind: "problem", problem: { kind: "unusable", text } };
};

/** A place that is taken keeps its picture: its address is cached for ever. */
const storeOnce = async (ctx: DrawCtx, key: string, jpeg: Uint8Array): Promise<void> => {
  if (!(await ctx.storage.get(key))) await ctx.storage.put(key, jpeg);
};

/**
 * Has the picture of a task's pin drawn, fitted to the canvas, stored (DESIGN §5.2, A-15, D10). Running it again is
 * harmless: a picture that is stored is not drawn again. `attempt` counts the tries of this step from 0; a round that
 * finds no place to draw is none.
 */
export const drawTaskImage = async (ctx: DrawCtx, input: { taskId: string; attempt: number }): Promise<StepResult> => {
  const { taskId, attempt } = input;
  const task = await startTask(ctx, taskId);
  if (!task) return { kind: "finished" };
  if (task.imageKey !== null) return { kind: "stored" };
  const imageKey = nameImage(ctx, task.id);
  if (!(await ctx.storage.get(imageKey))) {
    const drawn = await draw(ctx, task, imageKey);
    if (drawn.kind === "no_place") return { kind: "no_place" };
    if (drawn.kind === "problem") return weighProblem(ctx, { taskId, attempt, problem: drawn.problem });
    if (drawn.kind === "drawn") await storeOnce(ctx, imageKey, drawn.jpeg);
  }
  const open = await ctx.db
    .update(generationTasks)
    .set({ imageKey })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return { kind: open.length > 0 ? "stored" : "finished" };
};
