import "server-only";
import { sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";

/** Tasks that have not finished, over all processes: nobody has begun, and begun or between two tries. */
export interface OpenTasks {
  waiting: number;
  running: number;
}

/** Counts end here, so that asking costs a bounded time. */
const COUNTED_MAX = 100_000;

/** Counts the pins that are being made (for the metrics), by the index of open tasks. */
export const countTasks = async (ctx: Ctx): Promise<OpenTasks> => {
  const [counted] = await ctx.db.execute<{ waiting: number; running: number }>(sql`
    select count(*) filter (where status = 'PENDING')::int as waiting,
      count(*) filter (where status <> 'PENDING')::int as running
    from (select status from ${generationTasks} where finished_at is null order by wake_at limit ${COUNTED_MAX}) open`);
  if (!counted) throw new Error("A count without a grouping has one row.");
  return counted;
};
