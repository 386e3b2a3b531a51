import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findUserIdByEmailKey } from "#lib/features/identity/queries.ts";
import { lockBalance } from "./lock-balance.ts";
import { moveCredits } from "./move-credits.ts";
import { availableOf, demandWholeCredits } from "./policy.ts";
import { rollAllowance } from "./roll-allowance.ts";

/** To whom, how many, why for people (`note`), and why for the ledger (`cause`, granted once for all time). */
export type GrantInput = ({ email: string } | { userId: UserId }) & { credits: number; note: string; cause: string };

export type GrantResult = { kind: "granted" | "already_granted"; userId: UserId; availableCredits: number };

const findOwner = async (ctx: Ctx, input: GrantInput): Promise<UserId> => {
  if ("userId" in input) return input.userId;
  const userId = await findUserIdByEmailKey(ctx, uniqueKey(input.email));
  if (!userId) throw new AppError("not_found", { text: "There is no user with this email." });
  return userId;
};

/**
 * Adds purchased credits, which never expire. A second grant of the same cause changes nothing.
 * @throws AppError `not_found` for an unknown email, `invalid` for an amount that is not a whole number from 1.
 */
export const grantCredits = async (ctx: Ctx, input: GrantInput): Promise<GrantResult> => {
  const { credits, note, cause } = input;
  demandWholeCredits(credits);
  const userId = await findOwner(ctx, input);
  return inTransaction(ctx, async (tx) => {
    const locked = await rollAllowance(tx, await lockBalance(tx, userId));
    const lines = { issued: -credits, purchased: credits };
    const { causes, balance } = await moveCredits(tx, {
      balance: locked,
      movements: [{ kind: "grant", cause: `grant:${cause}`, note, lines }],
    });
    const availableCredits = availableOf(balance);
    return { kind: causes.length > 0 ? "granted" : "already_granted", userId, availableCredits };
  });
};
