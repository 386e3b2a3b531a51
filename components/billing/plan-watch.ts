"use client";

import type { Paddle, PricePreviewResponse } from "@paddle/paddle-js";
import { useEffect, useRef, useState } from "react";
import { useUnmounted } from "#components/ui/use-latest.ts";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { pause } from "#lib/client/pause.ts";
import { toDollars } from "#lib/core/money.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { PAID_PLANS, type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { CatalogWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { SUBSCRIPTION_PATH } from "./plan-state.ts";
import type { Unsettled } from "./use-checkout.ts";

/** Formatted prices that differ from our US dollar prices. */
export type LocalPrices = Partial<Record<PaidPlanSlug, string>>;

type Items = PricePreviewResponse["data"]["details"]["lineItems"];

const isInDollars = (plan: PaidPlanSlug, currency: string, totalMinor: string): boolean =>
  currency === "USD" && Number(totalMinor) === toDollars(PLANS[plan].priceTenthsOfCent) * 100;

/** The provider's local prices including taxes, where they differ from our US dollar prices. */
export const readPrices = (
  priceIds: ReadonlyMap<string, PaidPlanSlug>,
  { currencyCode, details }: { currencyCode: string; details: { lineItems: Items } },
): LocalPrices =>
  Object.fromEntries(
    details.lineItems.flatMap(({ price, totals, formattedTotals }) => {
      const plan = priceIds.get(price.id);
      return plan && !isInDollars(plan, currencyCode, totals.total) ? [[plan, formattedTotals.total]] : [];
    }),
  );

/** Requests local prices from the provider. Without an answer the US dollar prices stay. */
export const useLocalPrices = (paddle: Paddle | null, catalog: CatalogWire | null): LocalPrices => {
  const [prices, setPrices] = useState<LocalPrices>({});
  useEffect(() => {
    if (!paddle || !catalog) return;
    let isWanted = true;
    const ids = new Map<string, PaidPlanSlug>(
      PAID_PLANS.flatMap((plan) => {
        const priceId = catalog.plans.find(({ id }) => id === plan)?.priceId;
        return priceId ? [[priceId, plan]] : [];
      }),
    );
    paddle
      .PricePreview({ items: [...ids.keys()].map((priceId) => ({ priceId, quantity: 1 })) })
      .then(({ data }) => isWanted && setPrices(readPrices(ids, data)))
      .catch((error: unknown) => console.warn("Prices in the visitor's currency are not available", error));
    return () => {
      isWanted = false;
    };
  }, [paddle, catalog]);
  return prices;
};

export const WATCH_POLL_MS = 5 * SECOND_MS;
/** Polls for half a minute if a payment is uncertain, for five minutes if it was made. */
const WATCH_POLLS_MAX: Record<Unsettled, number> = { left: 7, unsure: 7, paid: 61 };

/** A plan that may be on its way. */
export interface AwaitedPlan {
  how: Unsettled;
  plan: PaidPlanSlug;
  kind: "buy" | "change";
}

interface PlanWatch {
  /** The awaited plan; stays with `isLate` when a paid plan has not arrived. */
  awaited: AwaitedPlan | null;
  isLate: boolean;
  start: (awaited: AwaitedPlan) => void;
  stop: () => void;
}

/**
 * Whether the awaited plan is there. Any paid plan ends the wait for a purchase, as it may have been bought elsewhere.
 */
export const hasArrived = ({ kind, plan }: AwaitedPlan, { plan: now, next_plan }: SubscriptionWire): boolean =>
  kind === "buy" ? now.slug !== "free" : now.slug === plan || next_plan === plan;

interface PlanPoll {
  isDone: (subscription: SubscriptionWire) => boolean;
  intervalMs: number;
  maxCalls: number;
  signal: AbortSignal;
  /** Whether polling continues after a failed call. */
  isTransient: (error: unknown) => boolean;
}

/** Polls until the plan is there; null when time is up or `signal` aborts. @throws errors that are not transient */
export const pollForPlan = async (options: PlanPoll): Promise<SubscriptionWire | null> => {
  const { isDone, intervalMs, maxCalls, signal, isTransient } = options;
  for (let call = 1; call <= maxCalls && !signal.aborted; call++) {
    try {
      const subscription = await api.get<SubscriptionWire>(SUBSCRIPTION_PATH, signal);
      if (isDone(subscription)) return subscription;
    } catch (error) {
      if (signal.aborted) return null;
      if (!isTransient(error)) throw error;
    }
    if (call < maxCalls) await pause(intervalMs, signal);
  }
  return null;
};

/**
 * Polls for a plan after a checkout or change whose end the page did not see. The payment may have succeeded, and only
 * the server is notified.
 */
export const usePlanWatch = (onArrived: (subscription: SubscriptionWire, awaited: AwaitedPlan) => void): PlanWatch => {
  const [awaited, setAwaited] = useState<AwaitedPlan | null>(null);
  const [isLate, setLate] = useState(false);
  const notifyArrival = useStableCallback(onArrived);
  const controller = useRef<AbortController>(null);
  const isUnmounted = useUnmounted(() => controller.current?.abort());

  const poll = async (wanted: AwaitedPlan, signal: AbortSignal): Promise<void> => {
    try {
      const subscription = await pollForPlan({
        isDone: (item) => hasArrived(wanted, item),
        intervalMs: WATCH_POLL_MS,
        maxCalls: WATCH_POLLS_MAX[wanted.how],
        signal,
        // Only an ended session stops the polling.
        isTransient: (error) => !(error instanceof ApiError && error.status === 401),
      });
      if (signal.aborted) return;
      if (subscription === null && wanted.how === "paid") return setLate(true);
      setAwaited(null);
      if (subscription) notifyArrival(subscription, wanted);
    } catch {
      setAwaited(null);
      clearToken();
    }
  };
  const stop = (): void => {
    controller.current?.abort();
    setAwaited(null);
    setLate(false);
  };
  const start = (next: AwaitedPlan): void => {
    // A checkout can end after the page has been left.
    if (isUnmounted.current) return;
    stop();
    controller.current = new AbortController();
    setAwaited(next);
    void poll(next, controller.current.signal);
  };
  return { awaited, isLate, start, stop };
};
