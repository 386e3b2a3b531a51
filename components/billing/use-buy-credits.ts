"use client";

import { useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { BUY_TEXTS, purchasedText } from "#lib/features/billing/constants.ts";
import { DEFAULT_PLAN, type PackCredits, PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { CatalogWire, CheckoutWire, PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { confirmPayment, trackPurchase } from "./confirm-payment.ts";
import type { Completion } from "./open-checkout.ts";
import { useCheckout, usePayment } from "./use-checkout.ts";
import { useSubscriptionQuery } from "./use-subscription.ts";

/** Server-rendered data, used until the calls respond. */
export interface BuyCreditsData {
  email: string;
  subscription: SubscriptionWire;
  catalog: CatalogWire;
  adPixelId: string | undefined;
}

interface BuyCredits {
  /** The plan whose prices are shown. */
  plan: PlanSlug;
  /** Credits per billing cycle; null while unknown. */
  includedCredits: number | null;
  pack: PackCredits | null;
  choosePack: (pack: PackCredits) => void;
  isProcessing: boolean;
  error: string | null;
  /** The result of a purchase, or a hint. */
  message: { tone: "success" | "plain"; text: string } | null;
  buy: () => Promise<void>;
}

type Message = BuyCredits["message"];

const PENDING: Message = {
  tone: "plain",
  text: "Your payment went through. Your credits will show up here automatically in a few minutes.",
};

const pricesChanged = (plan: PlanSlug): Message => ({
  tone: "plain",
  text: `These are the prices for your ${PLANS[plan].name} plan. Check the total, then try again.`,
});

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
const isPlan = (value: unknown): value is PlanSlug => typeof value === "string" && value in PLANS;

/** Falls back to the default plan (null) when the subscription cannot be read; a 404 does so without an error. */
const useCurrentSubscription = (initial: SubscriptionWire) => {
  const call = useSubscriptionQuery();
  const subscription = call.error === null ? (call.data ?? initial) : null;
  return { subscription, hasFailed: call.error !== null && !isNotFound(call.error), reloadSubscription: call.reload };
};

/** The plan whose prices are shown. The checkout's plan overrides it until the subscription is loaded again. */
const usePlan = (subscription: SubscriptionWire | null): [PlanSlug, (plan: PlanSlug) => void] => {
  const [override, setOverride] = useState<{ plan: PlanSlug; instead: SubscriptionWire | null } | null>(null);
  const overriddenPlan = override?.instead === subscription ? override?.plan : undefined;
  return [
    overriddenPlan ?? subscription?.plan.slug ?? DEFAULT_PLAN,
    (plan) => setOverride({ plan, instead: subscription }),
  ];
};

const TEXTS = {
  notReady: BUY_TEXTS.notReady,
  failed: BUY_TEXTS.paymentFailed,
  confirmFailed: BUY_TEXTS.confirmFailed,
};

const useConfirm = (adPixelId: string | undefined) => {
  const { reload } = useCredits();
  const confirm = async (completion: Completion, signal: AbortSignal): Promise<Message> => {
    const { transactionId, credits, total } = completion;
    const answer = await confirmPayment(
      () => api.post<PurchaseWire>("/api/users/credits/purchase/", { credits, amount: total, transactionId }),
      { isPending: ({ status }) => status === "pending", signal },
    );
    if (answer.success) trackPurchase(adPixelId, completion);
    reload();
    return answer.success ? { tone: "success", text: purchasedText(answer.credits) } : PENDING;
  };
  return { confirm, reload };
};

const useBuyer = (initial: BuyCreditsData) => {
  const me = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal));
  const offers = useApiQuery(queryKeys.plans, (signal) => api.get<CatalogWire>("/api/users/plans/", signal));
  return { email: me.data ? me.data.email : initial.email, catalog: offers.data ?? initial.catalog };
};

/** Why the purchase cannot start; null when it can. */
const findObstacle = (
  pack: PackCredits | null,
  { email, catalog, plan }: { email: string; catalog: CatalogWire; plan: PlanSlug },
): string | null => {
  if (pack === null) return BUY_TEXTS.noPack;
  if (!email) return BUY_TEXTS.noUser;
  const offer = catalog.packs.find((item) => item.plan === plan && item.credits === pack);
  return offer?.priceId ? null : BUY_TEXTS.noPrice;
};

/** The selection is cleared after a purchase so that another press does not buy it again. */
const usePackSelection = () => {
  const [pack, setPack] = useState<PackCredits | null>(null);
  const [message, storeMessage] = useState<Message>(null);
  const setMessage = (next: Message): void => {
    storeMessage(next);
    if (next?.tone === "success") setPack(null);
  };
  return { pack, setPack, message, setMessage };
};

/** The state and actions of the Buy Credits screen. */
export const useBuyCredits = (initial: BuyCreditsData): BuyCredits => {
  const { isSessionFailure } = useSessionEnd();
  const { subscription, hasFailed, reloadSubscription } = useCurrentSubscription(initial.subscription);
  const { email, catalog } = useBuyer(initial);
  const checkout = useCheckout(catalog.checkout);
  const { isProcessing, error, setError, pay } = usePayment({ checkout, texts: TEXTS, isSessionFailure });
  const { confirm, reload } = useConfirm(initial.adPixelId);
  const { pack, setPack, message, setMessage } = usePackSelection();
  const [plan, setShownPlan] = usePlan(subscription);

  /** The server decides the price, so no one pays a different one than they saw. */
  const review = ({ custom_data }: CheckoutWire): boolean => {
    const { plan_type } = custom_data;
    if (plan_type === plan || !isPlan(plan_type)) return true;
    setShownPlan(plan_type);
    reloadSubscription();
    setMessage(pricesChanged(plan_type));
    return false;
  };

  const buy = async (): Promise<void> => {
    if (isProcessing) return;
    const obstacle = findObstacle(pack, { email, catalog, plan });
    setError(obstacle);
    setMessage(null);
    if (obstacle !== null || pack === null) return;
    const steps = {
      review,
      confirm: async (completion: Completion, signal: AbortSignal) => setMessage(await confirm(completion, signal)),
      // The event stream delivers credits that are granted later.
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
    message,
    buy,
  };
};
