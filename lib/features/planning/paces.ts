import "server-only";
import { accountPaces } from "#db/schema/planning.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { findOwnedAccounts, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import { findPaces } from "./queries.ts";
import type { PaceWire, ReadPaceInput, SavePaceInput } from "./schema.ts";
import { toPaceWire } from "./serializers.ts";

/** The pace of each account of the user. @throws AppError `unauthenticated` */
export const readPaces = async (ctx: Ctx): Promise<PaceWire[]> => {
  const accounts = await findOwnedAccounts(ctx);
  const paceOf = await findPaces(
    ctx,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => toPaceWire(account, paceOf(account.id)));
};

/** @throws AppError `not_found` for another user's account */
export const readPace = async (ctx: Ctx, { accountId }: ReadPaceInput): Promise<PaceWire> => {
  const account = await requireOwnedAccount(ctx, accountId);
  return toPaceWire(account, (await findPaces(ctx, [account.id]))(account.id));
};

/** What is scheduled stays as it is. @throws AppError `not_found` for another user's account */
export const savePace = async (ctx: Ctx, { accountId, numbers }: SavePaceInput): Promise<PaceWire> => {
  const account = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    await lockAccount(tx, account.id);
    const changes = { numbers, updatedAt: tx.now() };
    await tx.db
      .insert(accountPaces)
      .values({ accountId: account.id, ...changes })
      .onConflictDoUpdate({ target: accountPaces.accountId, set: changes });
  });
  return readPace(ctx, { accountId });
};
