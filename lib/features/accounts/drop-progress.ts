import "server-only";
import { isNotNull } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";

/** Ends what was going on when a copy was made: consents, which may have been used since, and renewals of tokens. */
export const dropProgress = async (ctx: Ctx): Promise<void> => {
  await ctx.db.delete(oauthStates);
  await ctx.db
    .update(pinterestAccounts)
    .set({ refreshLease: null, refreshLeaseUntil: null })
    .where(isNotNull(pinterestAccounts.refreshLease));
};
