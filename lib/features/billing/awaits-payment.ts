import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { findFacts, type Subscription } from "./queries.ts";
import { sumPeriods } from "./sum-periods.ts";

/**
 * Whether a subscription stands in a month whose payment is not known yet: it was renewed a moment ago, at the plan that
 * was due then. What was paid before says nothing of what a change costs now.
 */
export const awaitsPayment = async (
  ctx: Ctx,
  { userId, subscription }: { userId: UserId; subscription: Pick<Subscription, "id" | "periodStartsAt"> },
): Promise<boolean> => {
  const newest = sumPeriods(await findFacts(ctx, userId)).find(
    ({ subscriptionId }) => subscriptionId === subscription.id,
  );
  if (!newest || !subscription.periodStartsAt) return false;
  return subscription.periodStartsAt.getTime() - newest.startsAt.getTime() > DAY_MS;
};
