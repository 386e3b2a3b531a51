import "server-only";
import { and, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { type AnyPgColumn, unionAll } from "drizzle-orm/pg-core";
import { brandKits } from "#db/schema/branding.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { RETENTION_MS, RETIRED_IMAGES_MAX } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";

const findDueKeys = async (ctx: Ctx, through: Date): Promise<string[]> => {
  const rows = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(lte(orphanedImages.since, through))
    .orderBy(orphanedImages.since)
    .limit(RETIRED_IMAGES_MAX);
  return rows.map(({ key }) => key);
};

/**
 * Which of these pictures a pin shows or has under its template, or an open task is going to. In one statement: between
 * two, a picture that changes its place, as when a template is taken off, would be seen in neither.
 */
const findKeysInUse = async (ctx: Ctx, keys: string[]): Promise<Set<string | null>> => {
  const keyOf = (column: AnyPgColumn) => ({ key: sql<string | null>`${column}` });
  const shown = ctx.db.select(keyOf(pins.imageKey)).from(pins).where(inArray(pins.imageKey, keys));
  const under = ctx.db.select(keyOf(pins.baseImageKey)).from(pins).where(inArray(pins.baseImageKey, keys));
  const wanted = ctx.db
    .select(keyOf(generationTasks.imageKey))
    .from(generationTasks)
    .where(and(inArray(generationTasks.imageKey, keys), isNull(generationTasks.finishedAt)));
  const logos = ctx.db.select(keyOf(brandKits.logoKey)).from(brandKits).where(inArray(brandKits.logoKey, keys));
  const found = await unionAll(shown, under, wanted, logos);
  return new Set(found.map(({ key }) => key));
};

/**
 * Deletes pictures, with their thumbnails, that lost their pin, or never got one, a week ago or earlier (DESIGN §5.6); one that is in use again
 * stays. The list is shortened last, so that whoever dies in between is followed by one who does it all again.
 * @returns how many pictures were deleted.
 */
export const retireImages = async (ctx: Ctx<"storage">): Promise<number> => {
  const through = addMs(ctx.now(), -RETENTION_MS.orphanedImage);
  const due = await findDueKeys(ctx, through);
  if (due.length === 0) return 0;
  const inUse = await findKeysInUse(ctx, due);
  const unused = due.filter((key) => !inUse.has(key));
  for (const imageKey of unused) {
    for (const key of [...thumbnailKeys(imageKey), imageKey]) await ctx.storage.delete(key);
  }
  await inTransaction(ctx, async (tx) => {
    await tx.db
      .update(generationTasks)
      .set({ imageKey: null })
      .where(and(inArray(generationTasks.imageKey, unused), isNotNull(generationTasks.finishedAt)));
    // One that lost its last pin meanwhile was noted anew, and has its time from then on.
    await tx.db.delete(orphanedImages).where(and(inArray(orphanedImages.key, due), lte(orphanedImages.since, through)));
  });
  return unused.length;
};
