"use client";

import { useRef, useState } from "react";
import type { Unsettled } from "#components/billing/use-payment.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/stored-token.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PaidPlanSlug } from "#lib/features/billing/constants.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

export const WATCH_POLL_MS = 5 * SECOND_MS;
/** How often is looked: half a minute where perhaps nothing was paid, five minutes where something was. */
export const WATCH_POLLS_MAX: Record<Unsettled, number> = { left: 7, unsure: 7, paid: 61 };

/** A plan that may be on its way. */
export interface Watched {
  how: Unsettled;
  plan: PaidPlanSlug;
  kind: "buy" | "change";
}

export interface PlanWatch {
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
