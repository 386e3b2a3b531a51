import "server-only";
import { eq, sql } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { LIBRARY_MAX, STORED_MAX, TEXTS } from "./constants.ts";
import { isKept } from "./queries.ts";

/**
 * Holds the actor to what one user may keep; called after what was added, while their lock is held.
 * @throws AppError `wrong_state` when it is more, which takes back what was added.
 */
export const checkRoom = async (tx: Ctx): Promise<void> => {
  const [row] = await tx.db
    .select({ stored: sql<number>`count(*)::int`, kept: sql<number>`(count(*) filter (where ${isKept}))::int` })
    .from(savedVideos)
    .where(eq(savedVideos.userId, requireUserId(tx)));
  if (row && row.kept > LIBRARY_MAX) throw new AppError("wrong_state", { text: TEXTS.libraryFull });
  if (row && row.stored > STORED_MAX) throw new AppError("wrong_state", { text: TEXTS.dayFull });
};
