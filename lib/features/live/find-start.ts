import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { findHorizon } from "./queries.ts";

/** Where a stream goes on; with `hasMissed` something before that can no longer be told. */
export interface Start {
  position: number;
  hasMissed: boolean;
}

/**
 * Where a user's stream begins: after the event that was seen last, or at the present when none was. A position that
 * is too old, or that this database never gave, begins at the present too, and counts as having missed something.
 */
export const findStart = async (
  ctx: Ctx,
  { userId, after }: { userId: UserId; after: number | null },
): Promise<Start> => {
  const { retiredThrough, newest, present } = await findHorizon(ctx, userId);
  if (after === null) return { position: present, hasMissed: false };
  if (after < retiredThrough || after > newest) return { position: present, hasMissed: true };
  return { position: after, hasMissed: false };
};
