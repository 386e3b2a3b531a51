import "server-only";
import { and, eq } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import type { StoredTokens } from "./queries.ts";

/**
 * Marks an account whose tokens Pinterest no longer takes, or that lack a permission; its pins stay scheduled (BRIEF
 * §3). Tokens that were replaced in the meantime are not blamed: the mark is set only while the bad ones are stored.
 */
export const markReconnectNeeded = async (ctx: Ctx, bad: StoredTokens): Promise<void> => {
  await ctx.db
    .update(pinterestAccounts)
    .set({ status: "reconnect_needed", refreshLease: null, refreshLeaseUntil: null })
    .where(
      and(
        eq(pinterestAccounts.id, bad.accountId),
        eq(pinterestAccounts.status, "connected"),
        eq(pinterestAccounts.accessTokenSealed, bad.accessTokenSealed),
      ),
    );
  ctx.log.set({ account_id: bad.accountId, account_disconnected: true });
};
