"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useReadAgain } from "#components/billing/settings/use-read-again.ts";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { ApiError, api } from "#lib/client/api.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

type SubscriptionState = {
  subscription: SubscriptionWire;
  /** It could not be read again: what is shown may be out of date. */
  isStale: boolean;
  reload: () => void;
  /** Shows what a call that changed it answered. */
  put: (subscription: SubscriptionWire) => void;
};

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/**
 * The subscription as the documented call tells it, from the server's first paint on (R-SET-02). Read again when credits
 * move, which a renewal does, and when the browser comes back from the provider's pages. A 404 leaves what is shown
 * (R-PRICE-10).
 */
export function useSubscription(initial: SubscriptionWire): SubscriptionState {
  const { data, error, reload } = useScreenCall("subscription", (signal) =>
    api.get<SubscriptionWire>("/api/users/subscription/", signal),
  );
  const [shown, setShown] = useState(initial);
  useEffect(() => {
    if (data) setShown(data);
  }, [data]);
  useReadAgain(reload);
  // What the server painted around it, the plan beside the credits among it, is to say the same.
  const router = useRouter();
  const painted = useRef(initial.plan.slug);
  const plan = shown.plan.slug;
  useEffect(() => {
    if (painted.current === plan) return;
    painted.current = plan;
    router.refresh();
  }, [plan, router]);
  return { subscription: shown, isStale: error !== null && !isAbsent(error), reload, put: setShown };
}
