import "server-only";
import { and, asc, eq, isNotNull } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { hasEnded, isCanceling } from "./policy.ts";

/**
 * A subscription that is paid beside the one that gives the plan, and gives nothing. `plan`: null for an unknown price;
 * `isEnding`: it goes on to the end of its period, and is charged no more.
 */
export interface HeldSubscription {
  id: string;
  plan: PlanSlug | null;
  isEnding: boolean;
}

/** Those of the actor that go on, the oldest first; most people have none. */
export const listHeld = async (ctx: Ctx): Promise<HeldSubscription[]> => {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, requireUserId(ctx)), isNotNull(subscriptions.heldReason)))
    .orderBy(asc(subscriptions.startedAt), asc(subscriptions.id));
  const now = await databaseTime(ctx);
  const going = rows.filter((row) => !hasEnded(row, now));
  return going.map((row) => ({ id: row.id, plan: row.plan, isEnding: isCanceling(row, now) }));
};
