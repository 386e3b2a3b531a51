import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { beginPeriod } from "./begin-period.ts";
import { FREE_ALLOWANCE } from "./constants.ts";
import { allowancePeriod, isMonthDue } from "./policy.ts";
import type { Balance } from "./queries.ts";

/**
 * Begins the free plan's month in a locked balance, if it is due: {@link ensureAllowance} for whoever holds the lock.
 * Decided by the database's clock: a process whose own is ahead ends no period early (decision 0007).
 * @returns the balance as it is then
 */
export const rollAllowance = async (tx: Ctx, balance: Balance): Promise<Balance> => {
  const period = allowancePeriod(tx.now());
  // The month has begun: whatever the plan, there is nothing to do, and nothing to ask.
  if (balance.period === period) return balance;
  // Rows of this table hold the ids of users.
  const plan = await findPlan(tx, balance.userId as UserId);
  if (!isMonthDue({ period: balance.period, plan }, tx.now())) return balance;
  return beginPeriod(tx, {
    balance,
    period,
    // A month that was interrupted by a paid plan gave its credits before: this cause exists then.
    cause: `allowance:${balance.userId}:${period}`,
    credits: FREE_ALLOWANCE,
    note: "Monthly credits of the Free plan",
  });
};
