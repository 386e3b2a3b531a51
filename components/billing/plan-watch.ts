"use client";

import type { Paddle, PricePreviewResponse } from "@paddle/paddle-js";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import type { CallState } from "#lib/client/use-call.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { toDollars } from "#lib/core/money.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { PAID_PLANS, type PaidPlanSlug, PLANS } from "#lib/features/billing/plans.ts";
import type { CatalogueWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { onPlanNews } from "./plan-state.ts";
import type { Unsettled } from "./use-checkout.ts";

/** The plan as the call answers it, unless something newer was learned while it was asked: `learn` tells it. */
export const useKnownPlan = ({ data, error, isLoading, isReloading }: CallState<SubscriptionWire>) => {
  const [subscription, setSubscription] = useState<SubscriptionWire | null>(null);
  const isAsking = useRef(false);
  isAsking.current = isLoading || isReloading;
  const isOvertaken = useRef(false);
  // With the answer, and not after a while in which something newer could come.
  useLayoutEffect(() => {
    if (data && !isOvertaken.current) setSubscription(data);
    isOvertaken.current = false;
  }, [data]);
  useLayoutEffect(() => {
    if (error !== null) isOvertaken.current = false;
  }, [error]);
  const learn = useCallback((after: SubscriptionWire): void => {
    isOvertaken.current = isAsking.current;
    setSubscription(after);
  }, []);
  useEffect(() => onPlanNews(learn), [learn]);
  return { subscription, learn };
};

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

/** A call that does not get through is made again with the next turn; only a login that has ended stops it. */
const ask = async (signal: AbortSignal): Promise<SubscriptionWire | null> => {
  try {
    return await api.get<SubscriptionWire>("/api/users/subscription/", signal);
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.status === 401)) throw error;
    return null;
  }
};

/**
 * Looks for a plan after a checkout or a change of which the page has not seen the end: the payment may have gone through
 * all the same, and its message comes to the server alone.
 */
export const usePlanWatch = (onArrived: (subscription: SubscriptionWire, watched: Watched) => void): PlanWatch => {
  const [watched, setWatched] = useState<Watched | null>(null);
  const [isLate, setLate] = useState(false);
  const [turn, setTurn] = useState(0);
  const polls = useRef(0);

  usePolling(ask, {
    subject: watched && !isLate ? `${turn}` : null,
    everyMs: WATCH_POLL_MS,
    isDone: (subscription) => {
      polls.current += 1;
      if (!watched) return true;
      return (
        (subscription !== null && hasArrived(watched, subscription)) || polls.current >= WATCH_POLLS_MAX[watched.how]
      );
    },
    onDone: (subscription) => {
      if (!watched) return;
      const isThere = subscription !== null && hasArrived(watched, subscription);
      if (!isThere && watched.how === "paid") return setLate(true);
      setWatched(null);
      if (isThere) onArrived(subscription, watched);
    },
    onError: () => {
      setWatched(null);
      clearToken();
    },
  });

  return {
    watched,
    isLate,
    begin: (next) => {
      polls.current = 0;
      setLate(false);
      setTurn((before) => before + 1);
      setWatched(next);
    },
    end: () => setWatched(null),
  };
};
