import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { onPlanNews } from "#components/billing/plan-news.ts";
import type { CallState } from "#lib/client/use-call.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

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
