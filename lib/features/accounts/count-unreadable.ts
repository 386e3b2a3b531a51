import "server-only";
import { isNotNull, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";

/** How many accounts have tokens that are sealed under a key which is not among ours; looks at the keys' names alone. */
export const countUnreadable = async (ctx: Ctx): Promise<number> => {
  const { accessTokenSealed: access, refreshTokenSealed: refresh } = pinterestAccounts;
  const head = (
    column: typeof access | typeof refresh,
  ) => sql<string>`split_part(coalesce(${column}, ''), '.', 1) || '.' ||
    split_part(coalesce(${column}, ''), '.', 2)`;
  const groups = await ctx.db
    .select({ access: head(access), refresh: head(refresh), accounts: sql<number>`count(*)`.mapWith(Number) })
    .from(pinterestAccounts)
    .where(or(isNotNull(access), isNotNull(refresh)))
    .groupBy(sql`1`, sql`2`);
  return groups
    .filter(({ access, refresh }) => ![access, refresh].every((text) => text === "." || ctx.sealer.canOpen(text)))
    .reduce((sum, { accounts }) => sum + accounts, 0);
};
