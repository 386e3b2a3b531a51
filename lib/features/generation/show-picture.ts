import "server-only";
import { and, eq } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { replacePicture } from "#lib/features/pins/replace-picture.ts";
import type { Showing } from "#lib/features/pins/schema.ts";
import { mayBeRemade } from "./policy.ts";
import type { Task } from "./queries.ts";

/**
 * Puts a task's picture on the pin that it was made for, and keeps what that showed before. Belongs into the
 * transaction that finishes the task. @returns null when the pin wants none any more: it was scheduled, published or
 * deleted meanwhile.
 */
export const showPicture = async (
  tx: Ctx,
  { task, looks }: { task: Task; looks: Pick<Showing, "likeness" | "placeholder"> },
): Promise<PinId | null> => {
  if (task.replacesPinId === null || task.imageKey === null) {
    throw new AppError("internal", { cause: new Error(`Task ${task.id} has no picture for a pin.`) });
  }
  const [row] = await tx.db
    .select()
    .from(pins)
    .where(and(eq(pins.id, task.replacesPinId), eq(pins.userId, task.userId)))
    .for("update");
  if (!row || !mayBeRemade(row)) return null;
  const pin = toPin(row);
  const bare = { baseImageKey: null, template: null, review: null, reviewedAt: null };
  const replaced = await replacePicture(tx, {
    pin,
    next: { ...bare, ...looks, imageKey: task.imageKey, source: "ai" },
  });
  await tx.db.update(generationTasks).set({ replaced }).where(eq(generationTasks.id, task.id));
  return pin.id;
};
