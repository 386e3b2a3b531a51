import { sql } from "drizzle-orm";
import { type Ctx, inTransaction } from "#lib/context.ts";

/**
 * Returns how many rows of a table PostgreSQL read during `run`, from its per-transaction statistics. Unlike timings,
 * this does not depend on machine load. The table is analyzed first, so that the planner picks the right index.
 */
export const rowsRead = async (ctx: Ctx, table: string, run: (tx: Ctx) => Promise<unknown>): Promise<number> => {
  await ctx.db.execute(sql`analyze ${sql.identifier(table)}`);
  return inTransaction(ctx, async (tx) => {
    await run(tx);
    const [answer] = await tx.db.execute<{ rows: number }>(sql`
      select (pg_stat_get_xact_tuples_returned(to_regclass(${table}))
        + pg_stat_get_xact_tuples_fetched(to_regclass(${table})))::int as rows`);
    return answer?.rows ?? Number.NaN;
  });
};
