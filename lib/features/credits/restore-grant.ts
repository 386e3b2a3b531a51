import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { lockBalance } from "./lock-balance.ts";
import { moveCredits } from "./move-credits.ts";
import { isOfPeriod, restoreCause, revokeCause } from "./policy.ts";
import { findTaken, findTransfer } from "./queries.ts";

/** `revocationId`: the adjustment by which credits were taken. `note`: the sentence that the user reads. */
export interface Restoration {
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
