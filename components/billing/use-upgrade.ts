"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { PRICING_TEXTS, upgradedText } from "#lib/features/billing/constants.ts";
import { type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";
import { confirmPayment, trackPurchase } from "./confirm-payment.ts";
import type { Completion } from "./open-checkout.ts";
import { type CheckoutHandle, type Unsettled, usePayment } from "./use-checkout.ts";

interface UpgradeOptions {
  checkout: CheckoutHandle;
  /** Null until it is known. */
  email: string | null;
  adPixelId: string | undefined;
  onSubscription: (subscription: SubscriptionWire) => void;
  /** The plan is active. */
  onBought: () => void;
  /** The overlay is closed; the plan may still arrive. */
  onUnsettled: (how: Unsettled, plan: PaidPlanSlug) => void;
}

export interface Upgrade {
  /** The plan being bought. */
  processing: PaidPlanSlug | null;
  error: string | null;
  buy: (plan: PaidPlanSlug) => Promise<void>;
}

/** The documented call has fields that the provider no longer supplies; they stay empty. */
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

/** The session has ended, so the next press leads to /login. */
const isSignedOut = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  clearToken();
  return true;
};

/** Buys a plan in the provider's overlay. */
export const useUpgrade = ({ checkout, email, adPixelId, ...callbacks }: UpgradeOptions): Upgrade => {
  const { onSubscription, onBought, onUnsettled } = callbacks;
  const notice = useNotice();
  const router = useRouter();
  const { isProcessing, error, setError, pay } = usePayment({ checkout, texts: TEXTS, isSessionFailure: isSignedOut });
  const [target, setTarget] = useState<PaidPlanSlug | null>(null);

  const confirm = async (plan: PaidPlanSlug, completion: Completion, signal: AbortSignal): Promise<void> => {
    const subscription = await confirmPayment(
      () => api.post<SubscriptionWire>("/api/users/subscription/confirm/", confirmationOf(plan, completion)),
      { isPending: ({ confirmation }) => confirmation === "pending", signal },
    );
    trackPurchase(adPixelId, completion);
    onSubscription(subscription);
    if (subscription.confirmation === "pending") return onUnsettled("paid", plan);
    notice.success(upgradedText(PLANS[plan].name));
    // Renders the server-rendered parts again for the new plan.
    router.refresh();
    onBought();
  };

  const buy = async (plan: PaidPlanSlug): Promise<void> => {
    if (isProcessing) return;
    if (!email) return setError(PRICING_TEXTS.noCustomer);
    setTarget(plan);
    const steps = {
      confirm: (completion: Completion, signal: AbortSignal) => confirm(plan, completion, signal),
      onUnsettled: (how: Unsettled) => onUnsettled(how, plan),
    };
    await pay({ kind: "plan", plan }, steps);
  };

  return { processing: isProcessing ? target : null, error, buy };
};
