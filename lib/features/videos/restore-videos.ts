import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { checkRoom } from "./check-room.ts";
import type { VideoIdsInput } from "./schema.ts";

/**
 * Brings deleted videos of the actor back as they were, all of them or none: the undoing of `deleteVideos`. One that is
 * back already, because it was saved again meanwhile, stays as it is.
 * @throws AppError `not_found` when one is foreign, absent or was swept already; `wrong_state` when the library is full.
 */
export const restoreVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: null, updatedAt: tx.now() })
      .where(and(inArray(savedVideos.id, ids), eq(savedVideos.userId, userId)));
    if (count < ids.length) throw new AppError("not_found");
    await checkRoom(tx);
    tx.log.set({ videos_touched: count });
  });
