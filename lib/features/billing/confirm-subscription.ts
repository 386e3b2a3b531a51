import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { CONFIRM_TEXTS } from "./constants.ts";
import { learnPayment } from "./learn-payment.ts";
import { confirmationOf } from "./policy.ts";
import { findSubscriptionView, type SubscriptionView } from "./queries.ts";

/** A subscription after a checkout, and whether its payment is through. */
export interface ConfirmedSubscription {
  view: SubscriptionView;
  confirmation: "completed" | "pending";
}

/**
 * Confirms a plan that a browser says was bought (R-PRICE-13, R-API-18): the provider is asked, and what was paid gives
 * the plan. Only the transaction's id is taken from the browser (R-PAY-03, A-59).
 * @throws AppError `not_found` for a foreign or unknown payment, `wrong_state` for one that is not paid, is for something
 * else, or is held; the provider's problems
 */
export const confirmSubscription = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedSubscription> => {
  const payment = await learnPayment(ctx, { transactionId });
  if (payment.kind === "pack") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notPlan });
  const confirmation = confirmationOf(payment);
  return { view: await findSubscriptionView(ctx, requireUserId(ctx)), confirmation };
};
