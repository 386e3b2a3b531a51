import "server-only";
import { and, eq } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addEntry } from "#lib/features/digests/add-entry.ts";
import { TEXTS } from "./constants.ts";
import type { StoredTokens } from "./queries.ts";

/**
 * Marks an account whose tokens Pinterest no longer takes, or that lack a permission; its pins stay scheduled (BRIEF
 * §3), and its owner is told by mail. Tokens that were replaced in the meantime are not blamed: the mark is set only
 * while the bad ones are stored.
 */
export const markReconnectNeeded = async (ctx: Ctx, bad: StoredTokens): Promise<void> => {
  await inTransaction(ctx, async (tx) => {
    const [lost] = await tx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed", refreshLease: null, refreshLeaseUntil: null })
      .where(
        and(
          eq(pinterestAccounts.id, bad.accountId),
          eq(pinterestAccounts.status, "connected"),
          eq(pinterestAccounts.accessTokenSealed, bad.accessTokenSealed),
        ),
      )
      .returning({ userId: pinterestAccounts.userId, username: pinterestAccounts.username });
    if (!lost) return;
    await addEntry(tx, {
      // Rows of this table hold the ids of users.
      userId: lost.userId as UserId,
      kind: "account_lost",
      about: bad.accountId,
      occasion: tx.now().getTime(),
      subject: lost.username,
      reason: TEXTS.lost,
    });
  });
  ctx.log.set({ account_id: bad.accountId, account_disconnected: true });
};
