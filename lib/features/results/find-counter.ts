import "server-only";
import { eq, min } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { type AccountId, isId } from "#lib/core/ids.ts";

const same = alias(pinterestAccounts, "same");

/**
 * The account whose row counts an account's calls. Pinterest counts by its own user and our app, and two of our users
 * may have connected the same one: the first of these accounts counts for all, also after it was removed here.
 */
export const findCounter = async (ctx: Ctx, accountId: AccountId): Promise<AccountId> => {
  const [row] = await ctx.db
    .select({ id: min(same.id) })
    .from(pinterestAccounts)
    .innerJoin(same, eq(same.pinterestUserId, pinterestAccounts.pinterestUserId))
    .where(eq(pinterestAccounts.id, accountId));
  return isId("account", row?.id) ? row.id : accountId;
};
