import "server-only";
import { and, eq, getTableColumns } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { checkRoom } from "./check-room.ts";
import { toSavedVideo } from "./present.ts";
import { isKept, rowBytes, toVideo } from "./queries.ts";
import type { EditSavedVideoInput, SavedVideoWire } from "./schema.ts";

/**
 * Writes its owner's tags and notes to a saved video; what is absent stays.
 * @throws AppError `not_found`; `wrong_state` when the actor's library has no room for so much text.
 */
export const editSavedVideo = (ctx: Ctx, { id, tags, notes }: EditSavedVideoInput): Promise<SavedVideoWire> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const isMeant = and(eq(savedVideos.id, id), eq(savedVideos.userId, userId), isKept);
    const [before] = await tx.db.select({ bytes: rowBytes }).from(savedVideos).where(isMeant);
    const [row] = await tx.db
      .update(savedVideos)
      .set({ ...(tags && { tags }), ...(notes !== undefined && { notes }), updatedAt: tx.now() })
      .where(isMeant)
      .returning({ ...getTableColumns(savedVideos), bytes: rowBytes });
    if (!row || !before) throw new AppError("not_found");
    // Weighing the whole library takes a while, and one that is full can always be given less.
    if (row.bytes > before.bytes) await checkRoom(tx);
    return toSavedVideo(toVideo(row));
  });
