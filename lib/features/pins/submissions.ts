import "server-only";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
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
