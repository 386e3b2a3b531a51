import "server-only";
import { and, eq } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { toSavedVideo } from "./present.ts";
import { isKept, toVideo } from "./queries.ts";
import type { EditSavedVideoInput, SavedVideoWire } from "./schema.ts";

/** Writes its owner's tags and notes to a saved video; what is absent stays. @throws AppError `not_found`. */
export const editSavedVideo = (ctx: Ctx, { id, tags, notes }: EditSavedVideoInput): Promise<SavedVideoWire> =>
  inTransaction(ctx, async (tx) => {
    const [row] = await tx.db
      .update(savedVideos)
      .set({ ...(tags && { tags }), ...(notes !== undefined && { notes }), updatedAt: tx.now() })
      .where(and(eq(savedVideos.id, id), eq(savedVideos.userId, requireUserId(tx)), isKept))
      .returning();
    if (!row) throw new AppError("not_found");
    return toSavedVideo(toVideo(row));
  });
