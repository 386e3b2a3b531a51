import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded } from "./policy.ts";
import { findSubscription, findSubscriptionView, type SubscriptionView } from "./queries.ts";
import { writeSubscription } from "./write-subscription.ts";

const keep = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.keepSubscription(id),
    hasHappened: ({ status, scheduledChange }) => status !== "canceled" && scheduledChange === null,
    refusalText: () => SETTINGS_TEXTS.keepFailed,
  });

const restart = (ctx: Ctx<"payments">, id: string): Promise<void> =>
  writeSubscription(ctx, {
    id,
    write: () => ctx.payments.restartSubscription(id),
    hasHappened: ({ status }) => status !== "paused" && status !== "canceled",
    refusalText: () => SETTINGS_TEXTS.restartFailed,
  });

/**
 * Has the actor's subscription go on: a scheduled end is taken back; one that is paused begins a new period, which is
 * charged at once. A second time changes nothing and answers the same.
 * @throws AppError `wrong_state` when there is none, or it has ended; the provider's errors.
 */
export const resumeSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToKeep });
  }
  const isPaused = subscription.status === "paused";
  await (isPaused ? restart(ctx, subscription.id) : keep(ctx, subscription.id));
  const message = isPaused ? SETTINGS_TEXTS.restarted : SETTINGS_TEXTS.kept;
  return { message, view: await findSubscriptionView(ctx, userId) };
};
