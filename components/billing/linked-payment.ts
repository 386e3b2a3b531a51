import { ApiError, api } from "#lib/client/api.ts";
import { purchasedText, upgradedText } from "#lib/features/billing/constants.ts";
import type { PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import { confirmPayment } from "./confirm-payment.ts";

/** What a linked payment was for, as its checkout told: which confirmation is asked for first. */
export type LinkedKind = "plan" | "credits";

export interface LinkedPayment {
  transactionId: string;
  kind: LinkedKind;
}

/** How it ended, for people; `subscription` where it is known now. */
export interface LinkedResult {
  isPending: boolean;
  text: string;
  subscription: SubscriptionWire | null;
}

const PAGE = "/upgrade-success";
const [ID, OF] = ["transaction", "of"];

/** The page that has a linked payment confirmed and tells how it ended. */
export const linkedPaymentPath = ({ transactionId, kind }: LinkedPayment): string =>
  `${PAGE}?${new URLSearchParams({ [ID]: transactionId, [OF]: kind })}`;

/** The payment that an address names; null for none. */
export const readLinkedPayment = (search: string): LinkedPayment | null => {
  const params = new URLSearchParams(search);
  const transactionId = params.get(ID);
  if (!transactionId || transactionId.length > 64) return null;
  return { transactionId, kind: params.get(OF) === "credits" ? "credits" : "plan" };
};

const PENDING = "Your payment went through. What you bought is here by itself as soon as it has settled.";

const confirmPlan = async (transactionId: string, signal: AbortSignal): Promise<LinkedResult> => {
  const subscription = await confirmPayment(
    () => api.post<SubscriptionWire>("/api/users/subscription/confirm/", { transactionId }),
    { isPending: ({ confirmation }) => confirmation === "pending", signal },
  );
  const isPending = subscription.confirmation === "pending";
  const text = isPending ? PENDING : upgradedText(PLANS[subscription.plan.slug].name);
  return { isPending, text, subscription };
};

const confirmCredits = async (transactionId: string, signal: AbortSignal): Promise<LinkedResult> => {
  const answer = await confirmPayment(() => api.post<PurchaseWire>("/api/users/credits/purchase/", { transactionId }), {
    isPending: ({ status }) => status === "pending",
    signal,
  });
  return {
    isPending: !answer.success,
    text: answer.success ? purchasedText(answer.credits) : PENDING,
    subscription: null,
  };
};

const CONFIRM = { plan: confirmPlan, credits: confirmCredits } as const;

/**
 * Has the server confirm a payment that was made by a payment link, as after every other checkout (R-BUY-19, R-PRICE-13).
 * A checkout that support prepared may not say what it is for: a refusal is followed by the other question.
 * @throws what the first call throws
 */
export const confirmLinked = async (
  { transactionId, kind }: LinkedPayment,
  signal: AbortSignal,
): Promise<LinkedResult> => {
  try {
    return await CONFIRM[kind](transactionId, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const other = kind === "plan" ? "credits" : "plan";
    return CONFIRM[other](transactionId, signal).catch(() => {
      throw error;
    });
  }
};
