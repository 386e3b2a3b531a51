import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { planAt } from "#lib/features/identity/policy.ts";
import { lockBalance } from "./lock-balance.ts";
import { isMonthDue } from "./policy.ts";
import { type Balance, findStanding } from "./queries.ts";
import { rollAllowance } from "./roll-allowance.ts";

/**
 * Gives a user of the free plan the allowance of the present month, once, at first need in it (DESIGN §6, A-26); what a
 * paid plan that has ended left of its own goes then (R-SUB-06). A paid plan's comes with its payments: openPaidPeriod.
 * @returns the balance with the present period's allowance in it
 */
export const ensureAllowance = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<Balance> => {
  const seen = await findStanding(ctx, userId);
  const now = ctx.now();
  if (seen && !isMonthDue({ period: seen.balance.period, plan: planAt(seen, now) }, now)) return seen.balance;
  return inTransaction(ctx, async (tx) => rollAllowance(tx, await lockBalance(tx, userId)));
};
