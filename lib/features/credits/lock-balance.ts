import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { Balance } from "./queries.ts";

/**
 * The balance of a user, locked until the transaction ends; an empty one is made when there is none.
 * Every movement takes this lock before it writes anything, so that movements of one user wait for one another in
 * one order and cannot deadlock. Call it inside a transaction.
 */
export const lockBalance = async (tx: Ctx, userId: UserId): Promise<Balance> => {
  const found = await selectLocked(tx, userId);
  if (found) return found;
  await tx.db.insert(creditBalances).values({ userId, period: "" }).onConflictDoNothing();
  const made = await selectLocked(tx, userId);
  if (!made) throw new AppError("internal", { cause: new Error("The balance vanished under its lock.") });
  return made;
};

const selectLocked = async (tx: Ctx, userId: UserId): Promise<Balance | undefined> => {
  const [row] = await tx.db.select().from(creditBalances).where(eq(creditBalances.userId, userId)).for("update");
  return row;
};
