import "server-only";
import { like } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { nameKeptFolder } from "./name-kept-folder.ts";

/** Has all kept pictures of a user's broken uploads go from the storage at once, not with the day they are kept for. */
export const condemnKept = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  await ctx.db
    .update(orphanedImages)
    .set({ since: addMs(ctx.now(), -RETENTION_MS.orphanedImage) })
    .where(like(orphanedImages.key, `${nameKeptFolder(ctx, userId)}/%`));
};
