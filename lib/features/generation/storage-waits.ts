import "server-only";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { generationTasks, heldImages } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { storeImage } from "#lib/features/pins/storage-outages.ts";
import { nextSweeps } from "./queries.ts";

/**
 * Takes a task back into the queue, which starts no tasks while the storage is unavailable. Its credits stay reserved.
 * Events of the next dispatch have new ids. Does nothing to a task that has finished or is in the queue.
 */
export const requeueForStorage = async (ctx: Ctx, taskId: string): Promise<void> => {
  ctx.log.set({ storage_wait: true });
  await ctx.db
    .update(generationTasks)
    .set({ status: "RETRY", calledAt: null, sentAt: null, sweeps: nextSweeps, wakeAt: sql`now()` })
    .where(
      and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt), isNotNull(generationTasks.calledAt)),
    );
};

/** Keeps a generated image until the storage is back. The first one stays. */
export const holdImage = async (ctx: Ctx, { taskId, jpeg }: { taskId: string; jpeg: Uint8Array }): Promise<void> => {
  const image = sql<string>`${Buffer.from(jpeg).toString("base64")}::text`;
  const open = ctx.db
    .select({ taskId: generationTasks.id, image: image.as("image"), createdAt: sql<Date>`now()`.as("created_at") })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
  await ctx.db.insert(heldImages).select(open).onConflictDoNothing();
};

/** Stores the image that an earlier run of the task generated. `none`: it has none, or the storage has it by now. */
export const storeHeldImage = async (
  ctx: Ctx<"storage">,
  { taskId, imageKey }: { taskId: string; imageKey: string },
): Promise<"stored" | "unavailable" | "none"> => {
  const isOfTask = eq(heldImages.taskId, taskId);
  const [held] = await ctx.db.select({ image: heldImages.image }).from(heldImages).where(isOfTask);
  if (!held) return "none";
  const stored = await storeImage(ctx, imageKey, Buffer.from(held.image, "base64"));
  if (stored === "stored") await ctx.db.delete(heldImages).where(isOfTask);
  return stored;
};
