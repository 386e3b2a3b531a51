import { sql } from "drizzle-orm";
import { type Ctx, inTransaction } from "#lib/context.ts";

/**
 * How many rows of a table PostgreSQL fetched to answer `run`, by its own count of this transaction: what an index
 * spares, whatever the machine is doing besides. Its numbers on the tables are brought up to date first.
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
