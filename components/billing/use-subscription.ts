"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api } from "#lib/client/api.ts";
import { setKnown } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { type ApiQuery, useApiQuery } from "#lib/client/use-api-query.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";
import { SUBSCRIPTION_PATH } from "./plan-state.ts";

/**
 * The subscription. Refreshed when credits change (as a renewal does), after missed events, and when the user returns
 * to the page.
 * @param isQuiet do not report an ended session
 */
export const useSubscriptionQuery = (isQuiet = false): ApiQuery<SubscriptionWire> =>
  useApiQuery(queryKeys.subscription, (signal) => api.get<SubscriptionWire>(SUBSCRIPTION_PATH, signal), {
    refetchOnWindowFocus: "always",
    meta: { isQuiet },
  });

/** Shows the response of a call that changed the subscription and ignores older responses still in flight. */
export const useSetSubscription = (): ((subscription: SubscriptionWire) => void) => {
  const client = useQueryClient();
  return useCallback((subscription) => setKnown(client, queryKeys.subscription, subscription), [client]);
};
