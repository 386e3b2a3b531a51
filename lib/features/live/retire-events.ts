import "server-only";
import { sql } from "drizzle-orm";
import { liveEvents, liveHorizon } from "#db/schema/live.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/**
 * Deletes live events that are a day old, and remembers up to where, so that a stream that would have to go on before
 * that is told so. One statement: both, or neither. @returns how many.
 */
export const retireEvents = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.liveEvent).toISOString();
  const [row] = await ctx.db.execute<{ retired: number }>(sql`
    with gone as (
      delete from ${liveEvents}
      where id <= (select max(id) from ${liveEvents} where created_at < ${before}::timestamptz)
      returning id
    ), moved as (
      update ${liveHorizon} set retired_through = greatest(retired_through, (select max(id) from gone))
    )
    select count(*)::int as retired from gone`);
  return row?.retired ?? 0;
};
