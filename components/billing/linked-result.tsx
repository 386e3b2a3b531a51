"use client";

import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { getToken } from "#lib/client/browser-storage.ts";
import { noSubscription } from "#lib/client/no-subscription.ts";
import { PRICING_TEXTS, purchasedText, upgradedText } from "#lib/features/billing/constants.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import type { PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { type LinkedPayment, readLinkedPayment } from "./payment-link.tsx";
import { emitPlanChange } from "./plan-state.ts";

/** `subscription`: null when the response does not contain one. */
interface LinkedResult {
  isPending: boolean;
  text: string;
  subscription: SubscriptionWire | null;
}

const PENDING = "Your payment went through. Your purchase will show up here automatically in a few minutes.";

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
 * Confirms a payment made through a payment link. The link may not say what was bought, so after a refusal the other
 * kind is tried.
 * @throws what the first call throws
 */
const confirmLinked = async ({ transactionId, kind }: LinkedPayment, signal: AbortSignal): Promise<LinkedResult> => {
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

type State =
  | { kind: "confirming" }
  | { kind: "confirmed"; result: LinkedResult }
  | { kind: "failed"; text: string }
  | null;

const readSearch = (): string => location.search;

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);

/**
 * Confirms the payment named in the URL and shows the result. Without one, or for another user's payment, it shows its
 * children.
 */
export function LinkedPaymentResult({ children }: { children: ReactNode }) {
  const search = useSyncExternalStore(noSubscription, readSearch, () => "");
  const [state, setState] = useState<State>(null);
  useEffect(() => {
    const payment = readLinkedPayment(search);
    if (!payment || getToken() === null) return;
    const controller = new AbortController();
    setState({ kind: "confirming" });
    confirmLinked(payment, controller.signal).then(
      (result) => {
        if (controller.signal.aborted) return;
        setState({ kind: "confirmed", result });
        if (result.subscription) emitPlanChange(result.subscription);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const isUnknown = [401, 404].includes(statusOf(error));
        setState(isUnknown ? null : { kind: "failed", text: describeFailure(error, PRICING_TEXTS.confirmFailed) });
      },
    );
    return () => controller.abort();
  }, [search]);

  if (state === null) return <Banner tone="success">{children}</Banner>;
  if (state.kind === "confirming") {
    return (
      <Banner isAnnounced>
        <span className="flex items-center gap-3">
          <Spinner />
          Payment received. Confirming your purchase…
        </span>
      </Banner>
    );
  }
  const isConfirmed = state.kind === "confirmed";
  return (
    <Banner tone={isConfirmed ? (state.result.isPending ? "plain" : "success") : "failed"} isAnnounced>
      {isConfirmed ? state.result.text : state.text}
    </Banner>
  );
}
