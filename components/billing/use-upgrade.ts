"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { PRICING_TEXTS, upgradedText } from "#lib/features/billing/constants.ts";
import { type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";
import { confirmPayment, tellPurchase } from "./confirm-payment.ts";
import type { Completion } from "./open-checkout.ts";
import { type CheckoutHandle, type Unsettled, usePayment } from "./use-checkout.ts";

interface UpgradeOptions {
  checkout: CheckoutHandle;
  /** Null until it is known. */
  email: string | null;
  adPixelId: string | undefined;
  onSubscription: (subscription: SubscriptionWire) => void;
  /** The plan is there. */
  onBought: () => void;
  /** The overlay is gone: look whether the plan comes. */
  onUnsettled: (how: Unsettled, plan: PaidPlanSlug) => void;
}

export interface Upgrade {
  /** The plan that is being bought. */
  processing: PaidPlanSlug | null;
  error: string | null;
  buy: (plan: PaidPlanSlug) => Promise<void>;
}

/** the two addresses are older than the provider's present product and stay empty. */
const confirmationOf = (plan: PaidPlanSlug, { transactionId, total, customerId }: Completion) => ({
  plan,
  price: total,
  transactionId,
  subscriptionId: null,
  customerId,
  cancelUrl: null,
  updateUrl: null,
});

const TEXTS = {
  notReady: PRICING_TEXTS.notReady,
  failed: PRICING_TEXTS.upgradeFailed,
  confirmFailed: PRICING_TEXTS.confirmFailed,
};

/** The login has ended: nobody is signed in any more, and pressing leads to /login (R-PRICE-09). */
const isSignedOut = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  clearToken();
  return true;
};

/** Buying a plan in the provider's overlay (R-PRICE-11 to R-PRICE-14, R-PRICE-18 to R-PRICE-21). */
export const useUpgrade = ({ checkout, email, adPixelId, ...told }: UpgradeOptions): Upgrade => {
  const { onSubscription, onBought, onUnsettled } = told;
  const notice = useNotice();
  const router = useRouter();
  const { isProcessing, error, setError, pay } = usePayment({ checkout, texts: TEXTS, isSessionFailure: isSignedOut });
  const [wanted, setWanted] = useState<PaidPlanSlug | null>(null);

  const confirm = async (plan: PaidPlanSlug, completion: Completion, signal: AbortSignal): Promise<void> => {
    const subscription = await confirmPayment(
      () => api.post<SubscriptionWire>("/api/users/subscription/confirm/", confirmationOf(plan, completion)),
      { isPending: ({ confirmation }) => confirmation === "pending", signal },
    );
    tellPurchase(adPixelId, completion);
    onSubscription(subscription);
    if (subscription.confirmation === "pending") return onUnsettled("paid", plan);
    notice.success(upgradedText(PLANS[plan].name));
    // What the signed-in area painted for the former plan is painted anew.
    router.refresh();
    onBought();
  };

  const buy = async (plan: PaidPlanSlug): Promise<void> => {
    if (isProcessing) return;
    if (!email) return setError(PRICING_TEXTS.noCustomer);
    setWanted(plan);
    const steps = {
      confirm: (completion: Completion, signal: AbortSignal) => confirm(plan, completion, signal),
      onUnsettled: (how: Unsettled) => onUnsettled(how, plan),
    };
    await pay({ kind: "plan", plan }, steps);
  };

  return { processing: isProcessing ? wanted : null, error, buy };
};
