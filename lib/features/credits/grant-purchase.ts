import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";
import { moveCredits } from "./move-credits.ts";
import { availableOf, demandWholeCredits, purchaseCause } from "./policy.ts";
import { rollAllowance } from "./roll-allowance.ts";

/** Credits that were paid for. `note`: the sentence that the user reads; empty for the usual one. */
export interface Purchase {
  userId: UserId;
  transactionId: string;
  credits: number;
  note: string;
}

/**
 * Gives the credits of a paid pack, which never expire, once per transaction (R-PAY-03, A-25).
 * @throws AppError `invalid` for credits that are no whole number from 1.
 */
export const grantPurchase = (
  ctx: Ctx,
  { userId, transactionId, credits, note }: Purchase,
): Promise<{ kind: "granted" | "already_granted"; availableCredits: number }> =>
  inTransaction(ctx, async (tx) => {
    demandWholeCredits(credits);
    const locked = await rollAllowance(tx, await lockBalance(tx, userId));
    const lines = { issued: -credits, purchased: credits };
    const cause = purchaseCause(transactionId);
    const { causes, balance } = await moveCredits(tx, {
      balance: locked,
      movements: [{ kind: "purchase", cause, note, lines }],
    });
    return { kind: causes.length > 0 ? "granted" : "already_granted", availableCredits: availableOf(balance) };
  });
