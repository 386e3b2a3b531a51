import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { lockBalance } from "./lock-balance.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { allowancePeriod } from "./policy.ts";
import { type Balance, findBalance } from "./queries.ts";

/** What is left of an ended period's allowance goes; it does not carry over. */
const expiryOf = ({ userId, period, allowance }: Balance): Movement[] =>
  allowance === 0
    ? []
    : [{ kind: "expiry", cause: `expiry:${userId}:${period}`, lines: { allowance: -allowance, expired: allowance } }];

/**
 * Gives a user the allowance of the present period, once, at first need in it (DESIGN §6, A-26).
 * A clock that runs behind never reopens an ended period.
 * @returns the balance that was read on the way, when it had the allowance already; else null
 */
export const ensureAllowance = async (ctx: Ctx, input: { userId: UserId }): Promise<Balance | null> => {
  const { userId } = input;
  const seen = await findBalance(ctx, userId);
  if (seen && seen.period >= allowancePeriod(ctx.now())) return seen;
  await inTransaction(ctx, async (tx) => {
    // Decided by the database's clock: a process whose own is ahead ends no period early (decision 0007).
    const period = allowancePeriod(tx.now());
    const balance = await lockBalance(tx, userId);
    if (balance.period >= period) return;
    const credits = PLANS[await findPlan(tx, userId)].creditsPerPeriod;
    const grant: Movement = {
      kind: "allowance",
      cause: `allowance:${userId}:${period}`,
      lines: { issued: -credits, allowance: credits },
    };
    await moveCredits(tx, { userId, movements: [...expiryOf(balance), grant] });
    await tx.db.update(creditBalances).set({ period }).where(eq(creditBalances.userId, userId));
  });
  return null;
};
