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
  isOfPeriod,
  purchaseCause,
  remainderOfLot,
  requireWholeCredits,
  restoreCause,
  revokeCause,
} from "./policy.ts";
import { type Balance, findLots, findRevoked, findTransfer, sumRevocations } from "./queries.ts";

/** `note` is shown to people; a grant happens once per `cause`. */
type GrantInput = ({ email: string } | { userId: UserId }) & { credits: number; note: string; cause: string };

type GrantResult = { kind: "granted" | "already_granted"; userId: UserId; availableCredits: number };

const findOwner = async (ctx: Ctx, input: GrantInput): Promise<UserId> => {
  if ("userId" in input) return input.userId;
  const userId = await findUserIdByEmailKey(ctx, uniqueKey(input.email));
  if (!userId) throw new AppError("not_found", { text: "There is no user with this email." });
  return userId;
};

/** Never expire. @throws AppError `not_found` for an unknown email, `invalid` unless a whole number from 1 */
export const grantCredits = async (ctx: Ctx, input: GrantInput): Promise<GrantResult> => {
  const { credits, note, cause } = input;
  requireWholeCredits(credits);
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

interface Purchase {
  userId: UserId;
  transactionId: string;
  credits: number;
  note: string;
}

/** Once per transaction. @throws AppError `invalid` unless a whole number from 1 */
export const grantPurchase = (
  ctx: Ctx,
  { userId, transactionId, credits, note }: Purchase,
): Promise<{ kind: "granted" | "already_granted"; availableCredits: number }> =>
  inTransaction(ctx, async (tx) => {
    requireWholeCredits(credits);
    const locked = await rollAllowance(tx, await lockBalance(tx, userId));
    const lines = { issued: -credits, purchased: credits };
    const cause = purchaseCause(transactionId);
    const { causes, balance } = await moveCredits(tx, {
      balance: locked,
      movements: [{ kind: "purchase", cause, note, lines }],
    });
    return { kind: causes.length > 0 ? "granted" : "already_granted", availableCredits: availableOf(balance) };
  });

interface Restoration {
  userId: UserId;
  revocationId: string;
  note: string;
}

/** Once, allowance only while its period lasts. @returns the same on every call; 0 when nothing was taken */
export const restoreGrant = (ctx: Ctx, { userId, revocationId, note }: Restoration): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const balance = await lockBalance(tx, userId);
    const cause = restoreCause(revocationId);
    const before = await findTransfer(tx, userId, cause);
    if (before) return { credits: before.allowance + before.purchased };
    const taken = await findRevoked(tx, userId, revokeCause(revocationId));
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

export type GrantKey =
  | { kind: "pack"; transactionId: string }
  | { kind: "plan"; subscriptionId: string; startsAt: Date };

interface Revocation {
  userId: UserId;
  adjustmentId: string;
  of: GrantKey;
  credits: number;
  note: string;
}

const causeOf = (of: GrantKey): string =>
  of.kind === "pack" ? purchaseCause(of.transactionId) : allowanceCause(of.subscriptionId, of.startsAt);

/** Credits reserved for tasks count as used. If they are released, reclaimReturned takes them. */
const findRemainder = async (tx: Ctx, balance: Balance, of: GrantKey): Promise<number> => {
  if (of.kind === "plan") return isOfPeriod(causeOf(of), balance.period) ? balance.allowance : 0;
  return remainderOfLot(await findLots(tx, balance.userId), balance.purchased, causeOf(of));
};

/**
 * Once per adjustment, never below zero: a pack after its oldest credits are spent, a plan from its period's allowance.
 * A shortfall is recorded; see reclaimReturned. @returns what was taken so far; 0 when nothing was granted
 */
export const revokeGrant = (ctx: Ctx, revocation: Revocation): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { userId, adjustmentId, of, note } = revocation;
    const balance = await lockBalance(tx, userId);
    const cause = revokeCause(adjustmentId);
    const before = await findRevoked(tx, userId, cause);
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

/** What these revocations were to take, taken or not, unless it was restored. */
export const sumDemanded = (ctx: Ctx, userId: UserId, adjustmentIds: readonly string[]): Promise<number> =>
  sumRevocations(ctx, userId, adjustmentIds.map(revokeCause));
