"use client";

import type { Paddle, PricePreviewResponse } from "@paddle/paddle-js";
import { useEffect, useRef, useState } from "react";
import { useGone } from "#components/ui/use-latest.ts";
import { useStable } from "#components/ui/use-stable.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { pause } from "#lib/client/pause.ts";
import { toDollars } from "#lib/core/money.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { PAID_PLANS, type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { CatalogueWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { SUBSCRIPTION_PATH } from "./plan-state.ts";
import type { Unsettled } from "./use-checkout.ts";

/** Prices for reading where they differ from the table's dollars. */
export type LocalPrices = Partial<Record<PaidPlanSlug, string>>;

type Items = PricePreviewResponse["data"]["details"]["lineItems"];

const isInDollars = (plan: PaidPlanSlug, currency: string, totalMinor: string): boolean =>
  currency === "USD" && Number(totalMinor) === toDollars(PLANS[plan].priceTenthsOfCent) * 100;

/** What the provider would charge for each plan here, taxes included, where that is not what the table says already. */
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

/** Asks the provider what the plans cost where the visitor is. Without an answer the table's dollars stand. */
export const useLocalPrices = (paddle: Paddle | null, catalogue: CatalogueWire | null): LocalPrices => {
  const [prices, setPrices] = useState<LocalPrices>({});
  useEffect(() => {
    if (!paddle || !catalogue) return;
    let isWanted = true;
    const ids = new Map<string, PaidPlanSlug>(
      PAID_PLANS.flatMap((plan) => {
        const priceId = catalogue.plans.find(({ id }) => id === plan)?.priceId;
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
  }, [paddle, catalogue]);
  return prices;
};

export const WATCH_POLL_MS = 5 * SECOND_MS;
/** How often is looked: half a minute where perhaps nothing was paid, five minutes where something was. */
const WATCH_POLLS_MAX: Record<Unsettled, number> = { left: 7, unsure: 7, paid: 61 };

/** A plan that may be on its way. */
export interface Watched {
  how: Unsettled;
  plan: PaidPlanSlug;
  kind: "buy" | "change";
}

interface PlanWatch {
  /** What is looked for; stays after a payment that never arrived, with `isLate`. */
  watched: Watched | null;
  isLate: boolean;
  begin: (watched: Watched) => void;
  end: () => void;
}

/** Whether what was paid for is there. Any paid plan ends the wait for a bought one: it may have been bought elsewhere. */
export const hasArrived = ({ kind, plan }: Watched, { plan: now, next_plan }: SubscriptionWire): boolean =>
  kind === "buy" ? now.slug !== "free" : now.slug === plan || next_plan === plan;

interface PlanSearch {
  isThere: (subscription: SubscriptionWire) => boolean;
  everyMs: number;
  /** How often is asked at most. */
  times: number;
  signal: AbortSignal;
  /** Whether a call that failed is made again with the next turn. */
  mayPass: (error: unknown) => boolean;
}

/**
 * Asks until the plan is there, at once and then after each pause; null when it is not there by the last time, or when
 * nobody waits any more. @throws what a call throws that may not pass
 */
export const searchPlan = async (search: PlanSearch): Promise<SubscriptionWire | null> => {
  const { isThere, everyMs, times, signal, mayPass } = search;
  for (let turn = 1; turn <= times && !signal.aborted; turn++) {
    try {
      const subscription = await api.get<SubscriptionWire>(SUBSCRIPTION_PATH, signal);
      if (isThere(subscription)) return subscription;
    } catch (error) {
      if (signal.aborted) return null;
      if (!mayPass(error)) throw error;
    }
    if (turn < times) await pause(everyMs, signal);
  }
  return null;
};

/**
 * Looks for a plan after a checkout or a change of which the page has not seen the end: the payment may have gone through
 * all the same, and its message comes to the server alone.
 */
export const usePlanWatch = (onArrived: (subscription: SubscriptionWire, watched: Watched) => void): PlanWatch => {
  const [watched, setWatched] = useState<Watched | null>(null);
  const [isLate, setLate] = useState(false);
  const tell = useStable(onArrived);
  const running = useRef<AbortController>(null);
  const isGone = useGone(() => running.current?.abort());

  const look = async (wanted: Watched, signal: AbortSignal): Promise<void> => {
    try {
      const subscription = await searchPlan({
        isThere: (one) => hasArrived(wanted, one),
        everyMs: WATCH_POLL_MS,
        times: WATCH_POLLS_MAX[wanted.how],
        signal,
        // A call that does not get through is made again; only a login that has ended stops it.
        mayPass: (error) => !(error instanceof ApiError && error.status === 401),
      });
      if (signal.aborted) return;
      if (subscription === null && wanted.how === "paid") return setLate(true);
      setWatched(null);
      if (subscription) tell(subscription, wanted);
    } catch {
      setWatched(null);
      clearToken();
    }
  };
  const end = (): void => {
    running.current?.abort();
    setWatched(null);
    setLate(false);
  };
  const begin = (next: Watched): void => {
    // A checkout that the page took with it ends after the page.
    if (isGone.current) return;
    end();
    running.current = new AbortController();
    setWatched(next);
    void look(next, running.current.signal);
  };
  return { watched, isLate, begin, end };
};
