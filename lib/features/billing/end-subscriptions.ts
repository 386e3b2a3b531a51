import "server-only";
import { and, eq, ne } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { writeSubscription } from "./write-subscription.ts";

/** Whether it has ended. One that the provider does not know charges nobody either. */
const end = async (ctx: Ctx<"payments">, id: string): Promise<boolean> => {
  let isUnknown = false;
  try {
    await writeSubscription(ctx, {
      id,
      write: async () => {
        const answer = await ctx.payments.cancelSubscription(id, "now");
        isUnknown = answer.kind === "problem" && answer.problem.kind === "not_found";
        return answer;
      },
      hasHappened: ({ status }) => status === "canceled",
    });
    return true;
  } catch (error) {
    if (isUnknown) return true;
    ctx.log.set({ payments_problem: messageOf(error) });
    return false;
  }
};

/**
 * Ends every subscription of a user who deleted their account, at once, at the provider. May run again at any time; one
 * that has ended is left alone. @returns how many could not be ended now: try again.
 */
export const endSubscriptions = async (
  ctx: Ctx<"payments">,
  { userId }: { userId: UserId },
): Promise<{ left: number }> => {
  const rows = await ctx.db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.status, "canceled")));
  let left = 0;
  for (const { id } of rows) if (!(await end(ctx, id))) left += 1;
  return { left };
};
