import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { allowanceCause, isOfPeriod, purchaseCause, remainderOfLot, revokeCause } from "./policy.ts";
import { type Balance, findLots, findTaken, findTransfer } from "./queries.ts";

/** Which grant: a pack by its transaction, or the allowance of a paid period. */
export type GrantKey =
  | { kind: "pack"; transactionId: string }
  | { kind: "plan"; subscriptionId: string; startsAt: Date };

/** `credits`: at most so many. `note`: the sentence that the user reads; empty for the usual one. */
export interface Revocation {
  userId: UserId;
  adjustmentId: string;
  of: GrantKey;
  credits: number;
  note: string;
}

const causeOf = (of: GrantKey): string =>
  of.kind === "pack" ? purchaseCause(of.transactionId) : allowanceCause(of.subscriptionId, of.startsAt);

/** What is left of a grant. Credits that are held work already; should they come back, they are taken then. */
const findRemainder = async (tx: Ctx, balance: Balance, of: GrantKey): Promise<number> => {
  if (of.kind === "plan") return isOfPeriod(causeOf(of), balance.period) ? balance.allowance : 0;
  return remainderOfLot(await findLots(tx, balance.userId as UserId), balance.purchased, causeOf(of));
};

/**
 * Takes back what is left of a grant whose payment was returned, once per adjustment and never below zero (DESIGN §6):
 * of a pack by spending the oldest purchased credits first, of a plan the rest of that period's allowance.
 * What it does not find is noted: credits that are held for work go when they come back, see reclaimReturned.
 * @returns what was taken so far; 0, and nothing written down, for what was never granted.
 */
export const revokeGrant = (ctx: Ctx, revocation: Revocation): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { userId, adjustmentId, of, note } = revocation;
    const balance = await lockBalance(tx, userId);
    const cause = revokeCause(adjustmentId);
    const before = await findTaken(tx, userId, cause);
    if (before) return { credits: 0 - before.allowance - before.purchased };
    if (!(await findTransfer(tx, userId, causeOf(of)))) return { credits: 0 };
    const credits = Math.max(0, Math.min(revocation.credits, await findRemainder(tx, balance, of)));
    const demanded = credits < revocation.credits ? { demanded: revocation.credits } : {};
    const bucket = of.kind === "pack" ? { purchased: -credits } : { allowance: -credits };
    const lines: Movement["lines"] = { ...bucket, issued: credits };
    const movement: Movement = { kind: "revoke", cause, note, grantCause: causeOf(of), ...demanded, lines };
    await moveCredits(tx, { balance, movements: [movement] });
    return { credits };
  });
