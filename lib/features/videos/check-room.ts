import "server-only";
import { eq, sql } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { LIBRARY_BYTES_MAX, LIBRARY_MAX, STORED_BYTES_MAX, STORED_MAX, TEXTS } from "./constants.ts";
import { isKept, rowBytes } from "./queries.ts";

/**
 * Holds the actor to what one user may keep; called after what was added, while their lock is held.
 * @throws AppError `wrong_state` when it is more, which takes back what was added.
 */
export const checkRoom = async (tx: Ctx): Promise<void> => {
  const rows = tx.db
    .select({ isKept: sql<boolean>`${isKept}`.as("is_kept"), bytes: rowBytes.as("bytes") })
    .from(savedVideos)
    .where(eq(savedVideos.userId, requireUserId(tx)))
    // Keeps the planner from putting the sizes into both sums, where each would be reckoned twice.
    .offset(0)
    .as("rows");
  const [row] = await tx.db
    .select({
      stored: sql<number>`count(*)::int`,
      kept: sql<number>`(count(*) filter (where ${rows.isKept}))::int`,
      storedBytes: sql<number>`coalesce(sum(${rows.bytes}), 0)::float8`,
      keptBytes: sql<number>`coalesce(sum(${rows.bytes}) filter (where ${rows.isKept}), 0)::float8`,
    })
    .from(rows);
  if (!row) return;
  const refuse = (text: string): never => {
    throw new AppError("wrong_state", { text });
  };
  if (row.kept > LIBRARY_MAX) refuse(TEXTS.libraryFull);
  if (row.keptBytes > LIBRARY_BYTES_MAX) refuse(TEXTS.libraryHeavy);
  if (row.stored > STORED_MAX || row.storedBytes > STORED_BYTES_MAX) refuse(TEXTS.dayFull);
};
