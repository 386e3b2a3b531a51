import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { isKept } from "./queries.ts";
import type { VideoIdsInput } from "./schema.ts";

/**
 * Deletes videos of the actor (R-SAV-10), all of them or none. They are gone for everybody at once, and can be brought
 * back until they are swept (`restoreVideos`, `retireVideos`).
 * @throws AppError `not_found` when one is foreign, absent or deleted.
 */
export const deleteVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: tx.now(), updatedAt: tx.now() })
      .where(and(inArray(savedVideos.id, ids), eq(savedVideos.userId, userId), isKept));
    if (count < ids.length) throw new AppError("not_found");
    tx.log.set({ videos_touched: count });
  });
