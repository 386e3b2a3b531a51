import "server-only";
import { and, eq, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";

/** Locks an account until the transaction ends, so that nobody removes it meanwhile. @throws AppError `not_found` */
export const lockAccount = async (tx: Ctx, accountId: OwnedAccountId): Promise<void> => {
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.id, accountId), ne(pinterestAccounts.status, "removed")))
    .for("share");
  if (present.length === 0) throw new AppError("not_found");
};
