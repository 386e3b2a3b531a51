import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { ensureAllowance } from "./ensure-allowance.ts";
import { availableOf } from "./policy.ts";
import type { BalanceView } from "./queries.ts";

/**
 * The signed-in user's credits, with the present period's allowance in them (R-CRED-01, R-API-04).
 * @throws AppError `unauthenticated`
 */
export const readBalance = async (ctx: Ctx): Promise<BalanceView> => {
  const userId = requireUserId(ctx);
  const balance = await ensureAllowance(ctx, { userId });
  const { allowance, purchased, held } = balance;
  return { availableCredits: availableOf(balance), allowance, purchased, held };
};
