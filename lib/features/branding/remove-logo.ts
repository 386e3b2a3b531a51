import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { hangLogo } from "./hang-logo.ts";
import { toKitWire } from "./present.ts";
import { findKit } from "./queries.ts";
import type { KitAccountInput, KitWire } from "./schema.ts";

/** Takes the logo out of an account's kit; on pictures where it stands it stays. @throws AppError `not_found` */
export const removeLogo = async (ctx: Ctx, { accountId }: KitAccountInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, (tx) => hangLogo(tx, id, null));
  return toKitWire(id, await findKit(ctx, id));
};
