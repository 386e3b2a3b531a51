import "server-only";
import { eq } from "drizzle-orm";
import { oauthStates } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { eraseTokens } from "./erase-tokens.ts";
import { findOwnedAccounts } from "./queries.ts";

/** Erases the tokens of all the actor's accounts, and the consents under way. Belongs into a transaction. */
export const disconnectAll = async (tx: Ctx): Promise<void> => {
  for (const { id: accountId } of await findOwnedAccounts(tx)) await eraseTokens(tx, { accountId });
  await tx.db.delete(oauthStates).where(eq(oauthStates.userId, requireUserId(tx)));
};
