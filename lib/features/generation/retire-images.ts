import "server-only";
import { and, inArray, isNotNull, isNull, lte } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { RETENTION_MS, RETIRED_IMAGES_MAX } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

const findDueKeys = async (ctx: Ctx): Promise<string[]> => {
  const rows = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(lte(orphanedImages.since, addMs(ctx.now(), -RETENTION_MS.orphanedImage)))
    .orderBy(orphanedImages.since)
    .limit(RETIRED_IMAGES_MAX);
  return rows.map(({ key }) => key);
};

/** Which of these pictures a pin shows, or an open task is going to. */
const findKeysInUse = async (ctx: Ctx, keys: string[]): Promise<Set<string | null>> => {
  const shown = await ctx.db.select({ key: pins.imageKey }).from(pins).where(inArray(pins.imageKey, keys));
  const wanted = await ctx.db
    .select({ key: generationTasks.imageKey })
    .from(generationTasks)
    .where(and(inArray(generationTasks.imageKey, keys), isNull(generationTasks.finishedAt)));
  return new Set([...shown, ...wanted].map(({ key }) => key));
};

/**
 * Deletes pictures that lost their pin, or never got one, a week ago or earlier (DESIGN §5.6); one that is in use again
 * stays. The list is shortened last, so that whoever dies in between is followed by one who does it all again.
 * @returns how many pictures were deleted.
 */
export const retireImages = async (ctx: Ctx<"storage">): Promise<number> => {
  const due = await findDueKeys(ctx);
  if (due.length === 0) return 0;
  const inUse = await findKeysInUse(ctx, due);
  const unused = due.filter((key) => !inUse.has(key));
  for (const key of unused) await ctx.storage.delete(key);
  await inTransaction(ctx, async (tx) => {
    await tx.db
      .update(generationTasks)
      .set({ imageKey: null })
      .where(and(inArray(generationTasks.imageKey, unused), isNotNull(generationTasks.finishedAt)));
    await tx.db.delete(orphanedImages).where(inArray(orphanedImages.key, due));
  });
  return unused.length;
};
