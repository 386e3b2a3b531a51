import "server-only";
import { sql } from "drizzle-orm";
import { liveEvents, liveHorizon } from "#db/schema/live.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Rows that one statement deletes, so that none takes long. */
const BATCH = 10_000;

/**
 * Deletes live events that are a day old, and remembers up to where, so that a stream that would have to go on before
 * that is told so: both in one statement, or neither. @returns how many.
 */
export const retireEvents = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.liveEvent).toISOString();
  let retired = 0;
  for (;;) {
    const [row] = await ctx.db.execute<{ count: number }>(sql`
      with old as (
        select id from ${liveEvents}
        where id <= (select max(id) from ${liveEvents} where created_at < ${before}::timestamptz)
        order by id limit ${BATCH}
      ), gone as (
        delete from ${liveEvents} where id in (select id from old) returning id
      ), moved as (
        update ${liveHorizon} set retired_through = greatest(retired_through, (select max(id) from gone))
      )
      select count(*)::int as count from gone`);
    const count = row?.count ?? 0;
    retired += count;
    if (count < BATCH) return retired;
  }
};
