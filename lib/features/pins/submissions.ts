import "server-only";
import { lte } from "drizzle-orm";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { findSubmission } from "./queries.ts";

/**
 * Writes down what pins a submission makes; belongs into the transaction that makes them. Waits for another one under
 * the same key. @returns null when this is the first; else the pins that the earlier one made.
 * @throws AppError `wrong_state` when the earlier one had another content.
 */
export const claimSubmission = async (
  tx: Ctx,
  submission: { key: string; digest: string; pinIds: string[] },
): Promise<string[] | null> => {
  const claimed = await tx.db
    .insert(bulkSubmissions)
    .values({ ...submission, userId: requireUserId(tx), createdAt: tx.now() })
    .onConflictDoNothing()
    .returning({ key: bulkSubmissions.key });
  return claimed.length > 0 ? null : findSubmission(tx, submission);
};

/** Forgets keys of submissions that nobody sends again any more; their pins stay. @returns how many. */
export const retireSubmissions = async (ctx: Ctx): Promise<number> => {
  const { count } = await ctx.db
    .delete(bulkSubmissions)
    .where(lte(bulkSubmissions.createdAt, addMs(ctx.now(), -RETENTION_MS.submission)));
  return count;
};
