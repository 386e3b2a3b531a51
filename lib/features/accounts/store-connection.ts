import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { dropEntries } from "#lib/features/digests/drop-entries.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import type { PinterestProfile, PinterestTokens } from "#lib/integrations/pinterest/port.ts";
import { type ConnectionOutcome, hasRoomForAccount } from "./policy.ts";
import { countConnectedAccounts } from "./queries.ts";
import type { RedeemedState } from "./redeem-state.ts";
import { sealTokens } from "./seal-tokens.ts";

interface Connection extends RedeemedState {
  profile: PinterestProfile;
  tokens: PinterestTokens;
}

const upsert = async (tx: Ctx, { userId, profile, tokens }: Connection, isNew: boolean): Promise<void> => {
  const fresh = {
    ...sealTokens(tx, tokens),
    username: profile.username,
    status: "connected" as const,
    connectedAt: tx.now(),
    removedAt: null,
  };
  await tx.db
    .insert(pinterestAccounts)
    .values({ id: tx.newId("account"), userId, pinterestUserId: profile.pinterestUserId, ...fresh })
    .onConflictDoUpdate({
      target: [pinterestAccounts.userId, pinterestAccounts.pinterestUserId],
      // An account that was connected all along keeps its moment of connection, and its place in the list.
      set: isNew ? fresh : { ...fresh, connectedAt: undefined },
    });
};

/**
 * Stores a consented connection under a lock on the user's row, where the plan's limit is looked at again: of two
 * callbacks at the limit one gets the room (R-ACC-12). An account that was connected before, even a removed one,
 * keeps its id and so its pins. A consent for a certain account takes only that Pinterest user.
 */
export const storeConnection = (ctx: Ctx, connection: Connection): Promise<ConnectionOutcome> =>
  inTransaction(ctx, async (tx): Promise<ConnectionOutcome> => {
    const { userId, accountId, profile } = connection;
    const isThere = and(eq(users.id, userId), isNull(users.closedAt));
    const [user] = await tx.db.select({ id: users.id }).from(users).where(isThere).for("update");
    // Deleted meanwhile: no tokens come back to somebody who is gone.
    if (!user) return { kind: "failed", reason: "state" };
    const [known] = await tx.db
      .select({ id: pinterestAccounts.id, status: pinterestAccounts.status })
      .from(pinterestAccounts)
      .where(and(eq(pinterestAccounts.userId, userId), eq(pinterestAccounts.pinterestUserId, profile.pinterestUserId)));
    if (accountId !== null && known?.id !== accountId) return { kind: "failed", reason: "other_account" };
    const isNew = !known || known.status === "removed";
    if (isNew) {
      const plan = await findPlan(tx, userId);
      const connected = await countConnectedAccounts(tx, userId);
      if (!hasRoomForAccount(plan, connected)) return { kind: "failed", reason: "limit" };
    }
    await upsert(tx, connection, isNew);
    // Connected again before anybody was told that it was lost.
    if (known) await dropEntries(tx, { userIds: [userId], kind: "account_lost", about: [known.id] });
    return { kind: "connected" };
  });
