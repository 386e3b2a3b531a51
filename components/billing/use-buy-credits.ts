"use client";

import { useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { BUY_TEXTS, purchasedText } from "#lib/features/billing/constants.ts";
import { DEFAULT_PLAN, type PackCredits, PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { CatalogueWire, CheckoutWire, PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { confirmPayment, tellPurchase } from "./confirm-payment.ts";
import type { Completion } from "./open-checkout.ts";
import { useCheckout, usePayment } from "./use-checkout.ts";
import { useSubscriptionQuery } from "./use-subscription.ts";

/** What the server painted, until the documented calls answer. */
export interface BuyCreditsFirst {
  email: string;
  subscription: SubscriptionWire;
  catalogue: CatalogueWire;
  adPixelId: string | undefined;
}

export interface BuyCredits {
  /** The plan whose prices are shown. */
  plan: PlanSlug;
  /** Credits of a billing cycle; null when it is not known (R-BUY-04). */
  includedCredits: number | null;
  pack: PackCredits | null;
  choosePack: (pack: PackCredits) => void;
  isProcessing: boolean;
  error: string | null;
  /** What went well, or what to look at. */
  news: { tone: "success" | "plain"; text: string } | null;
  buy: () => Promise<void>;
}

type News = BuyCredits["news"];

const PENDING: News = {
  tone: "plain",
  text: "Your payment went through. The credits appear here by themselves as soon as it has settled.",
};

const otherPlan = (plan: PlanSlug): News => ({
  tone: "plain",
  text: `These are the prices of your plan, ${PLANS[plan].name}. Please look at the total and press again.`,
});

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
const isPlan = (value: unknown): value is PlanSlug => typeof value === "string" && value in PLANS;

/** The plan that the screen goes by: what the call said, what the server painted, or the default (R-BUY-15, R-BUY-16). */
const useKnownSubscription = (first: SubscriptionWire) => {
  const call = useSubscriptionQuery();
  const subscription = call.error === null ? (call.data ?? first) : null;
  return { subscription, hasFailed: call.error !== null && !isNotFound(call.error), readAgain: call.reload };
};

/** Whose prices are shown: what the server said they are instead holds until the subscription is read anew. */
const usePlan = (subscription: SubscriptionWire | null): [PlanSlug, (plan: PlanSlug) => void] => {
  const [told, setTold] = useState<{ plan: PlanSlug; instead: SubscriptionWire | null } | null>(null);
  const toldPlan = told?.instead === subscription ? told?.plan : undefined;
  return [toldPlan ?? subscription?.plan.slug ?? DEFAULT_PLAN, (plan) => setTold({ plan, instead: subscription })];
};

const TEXTS = {
  notReady: BUY_TEXTS.notReady,
  failed: BUY_TEXTS.paymentFailed,
  confirmFailed: BUY_TEXTS.confirmFailed,
};

const useConfirm = (adPixelId: string | undefined) => {
  const { reload } = useCredits();
  const confirm = async (completion: Completion, signal: AbortSignal): Promise<News> => {
    const { transactionId, credits, total } = completion;
    const answer = await confirmPayment(
      () => api.post<PurchaseWire>("/api/users/credits/purchase/", { credits, amount: total, transactionId }),
      { isPending: ({ status }) => status === "pending", signal },
    );
    if (answer.success) tellPurchase(adPixelId, completion);
    reload();
    return answer.success ? { tone: "success", text: purchasedText(answer.credits) } : PENDING;
  };
  return { confirm, reload };
};

/** Who buys, and what is sold: as the server painted it, then as the documented calls tell it. */
const useBuyer = (first: BuyCreditsFirst) => {
  const me = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal));
  const offers = useApiQuery(queryKeys.plans, (signal) => api.get<CatalogueWire>("/api/users/plans/", signal));
  return { email: me.data ? me.data.email : first.email, catalogue: offers.data ?? first.catalogue };
};

/** What stands in the way of buying, in the order in which it is looked at; null when nothing does. */
const obstacleOf = (
  pack: PackCredits | null,
  { email, catalogue, plan }: { email: string; catalogue: CatalogueWire; plan: PlanSlug },
): string | null => {
  if (pack === null) return BUY_TEXTS.noPack;
  if (!email) return BUY_TEXTS.noUser;
  const offer = catalogue.packs.find((one) => one.plan === plan && one.credits === pack);
  return offer?.priceId ? null : BUY_TEXTS.noPrice;
};

/** The chosen pack, and what came of it. What was bought is not left chosen: the next press would buy it again. */
const useChoice = () => {
  const [pack, setPack] = useState<PackCredits | null>(null);
  const [news, showNews] = useState<News>(null);
  const setNews = (next: News): void => {
    showNews(next);
    if (next?.tone === "success") setPack(null);
  };
  return { pack, setPack, news, setNews };
};

/** Buying a pack: what is shown, what is chosen, and how it ends (R-BUY-11 to R-BUY-23). */
export const useBuyCredits = (first: BuyCreditsFirst): BuyCredits => {
  const { isSessionFailure } = useSessionEnd();
  const { subscription, hasFailed, readAgain } = useKnownSubscription(first.subscription);
  const { email, catalogue } = useBuyer(first);
  const checkout = useCheckout(catalogue.checkout);
  const { isProcessing, error, setError, pay } = usePayment({ checkout, texts: TEXTS, isSessionFailure });
  const { confirm, reload } = useConfirm(first.adPixelId);
  const { pack, setPack, news, setNews } = useChoice();
  const [plan, tellPlan] = usePlan(subscription);

  /** The price is the server's: nobody pays another one than they saw. */
  const review = ({ custom_data }: CheckoutWire): boolean => {
    const { plan_type } = custom_data;
    if (plan_type === plan || !isPlan(plan_type)) return true;
    tellPlan(plan_type);
    readAgain();
    setNews(otherPlan(plan_type));
    return false;
  };

  const buy = async (): Promise<void> => {
    if (isProcessing) return;
    const obstacle = obstacleOf(pack, { email, catalogue, plan });
    setError(obstacle);
    setNews(null);
    if (obstacle !== null || pack === null) return;
    const steps = {
      review,
      confirm: async (completion: Completion, signal: AbortSignal) => setNews(await confirm(completion, signal)),
      // The live stream brings what settles later.
      onUnsettled: reload,
    };
    await pay({ kind: "pack", credits: pack }, steps);
  };

  return {
    plan,
    includedCredits: subscription?.plan.features.credits ?? null,
    pack,
    choosePack: (chosen) => {
      setPack(chosen);
      setError(null);
    },
    isProcessing,
    error: error ?? (hasFailed ? BUY_TEXTS.subscriptionFailed : null),
    news,
    buy,
  };
};
