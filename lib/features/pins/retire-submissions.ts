import "server-only";
import { lte } from "drizzle-orm";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Forgets keys of submissions that nobody sends again any more; their pins stay. @returns how many. */
export const retireSubmissions = async (ctx: Ctx): Promise<number> => {
  const { count } = await ctx.db
    .delete(bulkSubmissions)
    .where(lte(bulkSubmissions.createdAt, addMs(ctx.now(), -RETENTION_MS.submission)));
  return count;
};
