import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { readBalance } from "#lib/features/credits/read-balance.ts";
import { CONFIRM_TEXTS, purchasedText } from "./constants.ts";
import { learnPayment } from "./learn-payment.ts";
import { confirmationOf } from "./policy.ts";
import type { PurchaseWire } from "./schema.ts";

/** What became of a purchase of credits. */
export type ConfirmedPurchase = Pick<PurchaseWire, "status" | "credits" | "message"> & { availableCredits: number };

/**
 * Confirms a pack that a browser says was bought (R-BUY-19, R-API-22): the provider is asked, and by our own table the
 * credits are given, once. Only the transaction's id is taken from the browser.
 * @throws AppError `not_found` for a foreign or unknown payment, `wrong_state` for one that is not paid, is for something
 * else, or is held; the provider's problems
 */
export const confirmPurchase = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedPurchase> => {
  const payment = await learnPayment(ctx, { transactionId });
  if (payment.kind === "plan") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notCredits });
  const status = confirmationOf(payment);
  const { availableCredits } = await readBalance(ctx);
  const message = status === "completed" ? purchasedText(payment.credits) : CONFIRM_TEXTS.pending;
  return { status, credits: payment.credits, message, availableCredits };
};
