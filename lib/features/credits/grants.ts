import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findUserIdByEmailKey } from "#lib/features/identity/queries.ts";
import { rollAllowance } from "./allowance.ts";
import { lockBalance, type Movement, moveCredits } from "./ledger.ts";
import {
  allowanceCause,
  availableOf,
  demandWholeCredits,
  isOfPeriod,
  purchaseCause,
  remainderOfLot,
  restoreCause,
  revokeCause,
} from "./policy.ts";
import { type Balance, findLots, findTaken, findTransfer } from "./queries.ts";

/** To whom, how many, why for people (`note`), and why for the ledger (`cause`, granted once for all time). */
type GrantInput = ({ email: string } | { userId: UserId }) & { credits: number; note: string; cause: string };

type GrantResult = { kind: "granted" | "already_granted"; userId: UserId; availableCredits: number };

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

/** Credits that were paid for. `note`: the sentence that the user reads; empty for the usual one. */
interface Purchase {
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

/** `revocationId`: the adjustment by which credits were taken. `note`: the sentence that the user reads. */
interface Restoration {
  userId: UserId;
  revocationId: string;
  note: string;
}

/**
 * Gives back what a chargeback took, when that was reversed; once. Credits of an allowance come back only while its
 * period lasts: they would have expired with it.
 * @returns what was given back, the same when asked again; 0, and nothing written down, when nothing was ever taken.
 */
export const restoreGrant = (ctx: Ctx, { userId, revocationId, note }: Restoration): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const balance = await lockBalance(tx, userId);
    const cause = restoreCause(revocationId);
    const before = await findTransfer(tx, userId, cause);
    if (before) return { credits: before.allowance + before.purchased };
    const taken = await findTaken(tx, userId, revokeCause(revocationId));
    if (!taken?.grantCause) return { credits: 0 };
    const allowance = isOfPeriod(taken.grantCause, balance.period) ? 0 - taken.allowance : 0;
    const credits = allowance - taken.purchased;
    const lines = { allowance, purchased: -taken.purchased, issued: -credits };
    await moveCredits(tx, {
      balance,
      movements: [{ kind: "restore", cause, note, grantCause: taken.grantCause, lines }],
    });
    return { credits };
  });

/** Which grant: a pack by its transaction, or the allowance of a paid period. */
export type GrantKey =
  | { kind: "pack"; transactionId: string }
  | { kind: "plan"; subscriptionId: string; startsAt: Date };

/** `credits`: at most so many. `note`: the sentence that the user reads; empty for the usual one. */
interface Revocation {
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
  return remainderOfLot(await findLots(tx, balance.userId), balance.purchased, causeOf(of));
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
