import "server-only";
import { and, eq } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { findLiveSubscription, type Subscription } from "./queries.ts";
import { refreshSubscription } from "./refresh-subscription.ts";
import type { HeldSubscriptionInput } from "./schema.ts";
import { writeSubscription } from "./write-subscription.ts";

const COUNTS = "This plan is the one you have now. Load the page again to see it.";

/** The row, if it is theirs. @throws AppError `not_found` */
const findOwn = async (ctx: Ctx, userId: UserId, id: string): Promise<Subscription> => {
  const isTheirs = and(eq(subscriptions.id, id), eq(subscriptions.userId, userId));
  const [row] = await ctx.db.select().from(subscriptions).where(isTheirs);
  if (!row) throw new AppError("not_found");
  return row;
};

/**
 * Ends a second subscription of the actor's at once, one that is paid beside the one that gives the plan and gives nothing
 * itself. No credit moves, and the plan stays. A second time changes nothing. The one that gives the plan is read back
 * first: if it has ended and its event is on its way, this one is their plan.
 * @throws AppError `not_found` for one that is not the actor's; `wrong_state` for one that gives their plan; the
 * provider's errors
 */
export const cancelHeld = async (ctx: Ctx<"payments">, { id }: HeldSubscriptionInput): Promise<void> => {
  const userId = requireUserId(ctx);
  // Only this state is final; an end that was scheduled may have been taken back at the provider.
  if ((await findOwn(ctx, userId, id)).status === "canceled") return;
  const giving = await findLiveSubscription(ctx, userId);
  if (giving && giving.id !== id) await refreshSubscription(ctx, giving);
  // Since the screen was painted the other one may have ended: then this one gives the plan.
  if ((await findOwn(ctx, userId, id)).heldReason === null) throw new AppError("wrong_state", { text: COUNTS });
  await writeSubscription(ctx, {
    id,
    write: () => ctx.payments.cancelSubscription(id, "now"),
    hasHappened: ({ status }) => status === "canceled",
  });
};
