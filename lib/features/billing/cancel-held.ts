import "server-only";
import { and, eq } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { hasEnded } from "./policy.ts";
import type { HeldSubscriptionInput } from "./schema.ts";
import { writeSubscription } from "./write-subscription.ts";

const COUNTS = "This plan is the one you have now. Load the page again to see it.";

/**
 * Ends a second subscription of the actor's at once, one that is paid beside the one that gives the plan and gives nothing
 * itself. No credit moves, and the plan stays. A second time changes nothing.
 * @throws AppError `not_found` for one that is not the actor's; `wrong_state` for one that gives their plan; the
 * provider's errors
 */
export const cancelHeld = async (ctx: Ctx<"payments">, { id }: HeldSubscriptionInput): Promise<void> => {
  const userId = requireUserId(ctx);
  const isTheirs = and(eq(subscriptions.id, id), eq(subscriptions.userId, userId));
  const [row] = await ctx.db.select().from(subscriptions).where(isTheirs);
  if (!row) throw new AppError("not_found");
  if (hasEnded(row, await databaseTime(ctx))) return;
  // Since the screen was painted the other one may have ended: then this one gives the plan.
  if (row.heldReason === null) throw new AppError("wrong_state", { text: COUNTS });
  await writeSubscription(ctx, {
    id,
    write: () => ctx.payments.cancelSubscription(id, "now"),
    hasHappened: ({ status }) => status === "canceled",
  });
};
