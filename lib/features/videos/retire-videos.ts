import "server-only";
import { lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { savedVideos } from "#db/schema/videos.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes for good the videos that were deleted a day ago or earlier (DESIGN §5.6). @returns how many. */
export const retireVideos = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: savedVideos,
    key: savedVideos.id,
    where: lte(savedVideos.deletedAt, addMs(ctx.now(), -RETENTION_MS.deletedVideo)),
  });
