"use client";

import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { getToken } from "#lib/client/browser-storage.ts";
import { PRICING_TEXTS, purchasedText, upgradedText } from "#lib/features/billing/constants.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import type { PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { type LinkedPayment, readLinkedPayment } from "./payment-link.tsx";
import { tellPlanNews } from "./plan-state.ts";

/** How it ended, for people; `subscription` where it is known now. */
interface LinkedResult {
  isPending: boolean;
  text: string;
  subscription: SubscriptionWire | null;
}

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

type State = { kind: "asking" } | { kind: "known"; result: LinkedResult } | { kind: "failed"; text: string } | null;

const neverPaid = () => () => {};
const readSearch = (): string => location.search;

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);

/**
 * How a payment ended that was made by a payment link: the server is asked, as after every other checkout, and what
 * it says is shown. Without one in the address, or for somebody else's, the page says what it can without knowing.
 */
export function LinkedPaymentResult({ children }: { children: ReactNode }) {
  const search = useSyncExternalStore(neverPaid, readSearch, () => "");
  const [state, setState] = useState<State>(null);
  useEffect(() => {
    const payment = readLinkedPayment(search);
    if (!payment || getToken() === null) return;
    const life = new AbortController();
    setState({ kind: "asking" });
    confirmLinked(payment, life.signal).then(
      (result) => {
        if (life.signal.aborted) return;
        setState({ kind: "known", result });
        if (result.subscription) tellPlanNews(result.subscription);
      },
      (error: unknown) => {
        if (life.signal.aborted) return;
        const isUnknown = [401, 404].includes(statusOf(error));
        setState(isUnknown ? null : { kind: "failed", text: describeFailure(error, PRICING_TEXTS.confirmFailed) });
      },
    );
    return () => life.abort();
  }, [search]);

  if (state === null) return <Banner tone="success">{children}</Banner>;
  if (state.kind === "asking") {
    return (
      <Banner isAnnounced>
        <span className="flex items-center gap-3">
          <Spinner />
          You have paid. Looking what came of it …
        </span>
      </Banner>
    );
  }
  const isGood = state.kind === "known";
  return (
    <Banner tone={isGood ? (state.result.isPending ? "plain" : "success") : "failed"} isAnnounced>
      {isGood ? state.result.text : state.text}
    </Banner>
  );
}
