import "server-only";
import { lte } from "drizzle-orm";
import { digestEntries } from "#db/schema/digests.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes what mails told of a week ago, and what nobody was told (DESIGN §5.6). @returns how many. */
export const retireEntries = async (ctx: Ctx): Promise<number> => {
  const isOld = lte(digestEntries.occurredAt, addMs(ctx.now(), -RETENTION_MS.digestEntry));
  const { count } = await ctx.db.delete(digestEntries).where(isOld);
  return count;
};
