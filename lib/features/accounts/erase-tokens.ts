import "server-only";
import { and, eq, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import type { OwnedAccountId } from "./queries.ts";

/**
 * Disconnects an account: its tokens are erased and it counts as removed. The row stays, so that a later
 * connection finds its pins. A renewal in flight finds other tokens than it left, and saves nothing.
 * Runs inside the transaction of whoever removes the account.
 */
export const eraseTokens = async (ctx: Ctx, input: { accountId: OwnedAccountId }): Promise<void> => {
  await ctx.db
    .update(pinterestAccounts)
    .set({
      status: "removed",
      removedAt: ctx.now(),
      accessTokenSealed: null,
      refreshTokenSealed: null,
      accessExpiresAt: null,
      refreshExpiresAt: null,
      scopes: "",
      refreshLease: null,
      refreshLeaseUntil: null,
    })
    .where(and(eq(pinterestAccounts.id, input.accountId), ne(pinterestAccounts.status, "removed")));
};
