import "server-only";
import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinVideos } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { wasSubmitted } from "#lib/features/pins/queries.ts";
import { TEXTS, UNPUBLISHED_BYTES_MAX } from "./constants.ts";

/** Copies share a file. Deleted pins count as long as they can be restored, so deleting makes no room for a stream. */
const usedBytes = async (ctx: Ctx): Promise<number> => {
  const accounts = ctx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.userId, requireUserId(ctx)));
  const videos = ctx.db
    .selectDistinct({ key: pinVideos.videoKey, bytes: pinVideos.bytes })
    .from(pinVideos)
    .innerJoin(pins, eq(pins.id, pinVideos.pinId))
    .where(and(inArray(pins.accountId, accounts), ne(pins.status, "published")))
    .as("videos");
  const [row] = await ctx.db.select({ bytes: sql<number>`coalesce(sum(${videos.bytes}), 0)::float8` }).from(videos);
  return row?.bytes ?? 0;
};

/**
 * For a video that is about to be stored. Decides for sure only under the user's lock.
 * @throws AppError `wrong_state` when the user's videos that aren't published would be larger than we store
 */
export const requireVideoSpace = async (ctx: Ctx, { bytes }: { bytes: number }): Promise<void> => {
  if ((await usedBytes(ctx)) + bytes <= UNPUBLISHED_BYTES_MAX) return;
  throw new AppError("wrong_state", { text: TEXTS.videosFull });
};

/** Before a video is received: `bytes` is what it has at least. A repeated request gets its pin. @throws as above */
export const expectVideo = async (
  ctx: Ctx,
  { bytes, idempotencyKey }: { bytes: number; idempotencyKey: string | null },
): Promise<void> => {
  if (idempotencyKey !== null && (await wasSubmitted(ctx, idempotencyKey))) return;
  await requireVideoSpace(ctx, { bytes: Math.max(1, bytes) });
};
