import "server-only";
import { eq, sql } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { PaidPlanSlug } from "./constants.ts";

/** A smaller plan that the renewal was to change to, and the paid one that it was taken back to. */
export interface Downgrade {
  to: PaidPlanSlug;
  from: PaidPlanSlug;
}

/**
 * Notes a downgrade that waited for the renewal before it is taken back for a larger plan, so that it is not lost when
 * that fails or the process dies. Null: nothing waits any more.
 */
export const keepDowngrade = async (ctx: Ctx, id: string, downgrade: Downgrade | null): Promise<void> => {
  const kept = { keptTo: downgrade?.to ?? null, keptFrom: downgrade?.from ?? null };
  const keptAt = downgrade ? sql`now()` : null;
  await ctx.db
    .update(subscriptions)
    .set({ ...kept, keptAt })
    .where(eq(subscriptions.id, id));
};
