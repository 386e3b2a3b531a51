import "server-only";
import { eq, sql } from "drizzle-orm";
import { preparedOnce } from "#db/prepared.ts";
import { creditBalances } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";

export type Balance = typeof creditBalances.$inferSelect;

/** A balance for showing. `availableCredits` is allowance plus purchased; held credits are not in it. */
export interface BalanceView {
  availableCredits: number;
  allowance: number;
  purchased: number;
  held: number;
}

const balanceStatement = preparedOnce((db) =>
  db
    .select()
    .from(creditBalances)
    .where(eq(creditBalances.userId, sql.placeholder("userId")))
    .prepare("balance"),
);

/** The cached balance of a user; null before the first need. */
export const findBalance = async (ctx: Ctx, userId: UserId): Promise<Balance | null> => {
  const [row] = await balanceStatement(ctx.db).execute({ userId });
  return row ?? null;
};
