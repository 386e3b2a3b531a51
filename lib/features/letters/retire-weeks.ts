import "server-only";
import { and, lte, sql } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { letters } from "#db/schema/letters.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";

/**
 * Deletes mails about somebody's week that no mail server has taken since figures of that age were deleted: they tell
 * Pinterest's figures, which are kept no longer anywhere (D8). @returns how many.
 */
export const retireWeeks = (ctx: Ctx, now: Date): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: letters,
    key: letters.id,
    where: and(
      lte(letters.createdAt, addMs(now, -ctx.settings.analyticsCacheHours * HOUR_MS)),
      sql`${letters.content} ->> 'kind' = 'weekly_results'`,
    ),
  });
