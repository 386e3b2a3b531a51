import "server-only";
import { and, gt, lt, sql } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { healthMinutes } from "#db/schema/health.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/**
 * Deletes minutes that are older than every span the status page tells of, but for the very first: it says since when
 * there are records, so that a service that was away for months does not seem new. @returns how many.
 */
export const retireMinutes = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: healthMinutes,
    key: healthMinutes.minute,
    where: and(
      lt(healthMinutes.minute, addMs(ctx.now(), -RETENTION_MS.healthMinute)),
      gt(healthMinutes.minute, sql`(select min(minute) from ${healthMinutes})`),
    ),
    batch: 5_000,
  });
