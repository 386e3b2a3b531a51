import "server-only";
import { eq } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "./constants.ts";

/**
 * Writes down which plan a user has, and when it ends if that is known. Billing decides it from what was paid; setting
 * the same again changes nothing.
 */
export const setPlan = async (
  tx: Ctx,
  { userId, plan, planEndsAt }: { userId: UserId; plan: PlanSlug; planEndsAt: Date | null },
): Promise<void> => {
  await tx.db.update(users).set({ plan, planEndsAt }).where(eq(users.id, userId));
};
