import "server-only";
import { sql } from "drizzle-orm";
import { healthMinutes } from "#db/schema/health.ts";
import type { Ctx } from "#lib/context.ts";

/**
 * Records that the product works in this minute of the database's clock. A run that comes late records the
 * minute it comes in: the one it was meant for stays missing, for nothing worked then. Twice in a minute is once.
 * @returns whether this call was the first of its minute.
 */
export const recordMinute = async (ctx: Ctx): Promise<{ isNew: boolean }> => {
  const { count } = await ctx.db
    .insert(healthMinutes)
    .values({ minute: sql`date_trunc('minute', now())` })
    .onConflictDoNothing();
  return { isNew: count > 0 };
};
