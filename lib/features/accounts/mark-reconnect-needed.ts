import "server-only";
import { and, eq } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import type { StoredTokens } from "./queries.ts";

/**
 * Marks an account whose tokens Pinterest no longer takes; its pins stay scheduled (BRIEF §3). Tokens that were
 * replaced in the meantime are not blamed: the mark is only set while the dead ones are still stored.
 */
export const markReconnectNeeded = async (ctx: Ctx, dead: StoredTokens): Promise<void> => {
  await ctx.db
    .update(pinterestAccounts)
    .set({ status: "reconnect_needed", refreshLease: null, refreshLeaseUntil: null })
    .where(
      and(
        eq(pinterestAccounts.id, dead.accountId),
        eq(pinterestAccounts.status, "connected"),
        eq(pinterestAccounts.accessTokenSealed, dead.accessTokenSealed),
      ),
    );
  ctx.log.set({ account_id: dead.accountId, account_disconnected: true });
};
