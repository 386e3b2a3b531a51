import "server-only";
import { eq } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "./constants.ts";

/** What of a locked user decides about plans. */
export interface LockedUser {
  plan: PlanSlug;
  planEndsAt: Date | null;
  closedAt: Date | null;
}

/**
 * A user, locked until the transaction ends, so that whoever decides about their plan does so one after the other. Rows
 * that only refer to the user are written meanwhile. Take it before the lock of the balance, never after it.
 */
export const lockUser = async (tx: Ctx, userId: UserId): Promise<LockedUser | null> => {
  const { plan, planEndsAt, closedAt } = users;
  const [row] = await tx.db
    .select({ plan, planEndsAt, closedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("no key update");
  return row ?? null;
};
