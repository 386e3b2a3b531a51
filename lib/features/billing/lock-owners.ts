import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";

/**
 * Locks those whom something concerns that is about to be stored, in one order, before any row is written: settling marks
 * other rows of theirs, and whoever wrote one first and waited for the user then would wait for ever (decision 0017).
 */
export const lockOwners = async (tx: Ctx, userIds: readonly (string | null | undefined)[]): Promise<void> => {
  const known = [...new Set(userIds.filter((userId) => userId != null))].sort();
  // Rows of these tables hold ids of users.
  for (const userId of known) await lockUser(tx, userId as UserId);
};
