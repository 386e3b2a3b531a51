import "server-only";
import { brandKits } from "#db/schema/branding.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockAccount } from "#lib/features/pins/lock-account.ts";
import { toKitWire } from "./present.ts";
import { findKit } from "./queries.ts";
import type { KitWire, SaveKitInput } from "./schema.ts";

/**
 * Keeps colours and faces of an account of the actor. Pictures that have a template stay as they are until one is put on
 * them again. @throws AppError `not_found`
 */
export const saveKit = async (ctx: Ctx, { accountId, colours, fontPairing }: SaveKitInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    await lockAccount(tx, id);
    const changes = { colours, fontPairing, updatedAt: tx.now() };
    await tx.db
      .insert(brandKits)
      .values({ accountId: id, ...changes })
      .onConflictDoUpdate({ target: brandKits.accountId, set: changes });
  });
  return toKitWire(id, await findKit(ctx, id));
};
