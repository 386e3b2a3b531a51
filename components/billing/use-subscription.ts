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
 * The subscription as the documented call tells it. Read again when credits move, which a renewal does, when news were
 * missed, and when the browser comes back to the page, from the provider's or from another tab that may have bought.
 * @param isQuiet a login that has ended is not mentioned
 */
export const useSubscriptionQuery = (isQuiet = false): ApiQuery<SubscriptionWire> =>
  useApiQuery(queryKeys.subscription, (signal) => api.get<SubscriptionWire>(SUBSCRIPTION_PATH, signal), {
    refetchOnWindowFocus: "always",
    meta: { isQuiet },
  });

/** Shows what a call that changed the subscription answered; older answers that are still to come do not count. */
export const useSetSubscription = (): ((subscription: SubscriptionWire) => void) => {
  const client = useQueryClient();
  return useCallback((subscription) => setKnown(client, queryKeys.subscription, subscription), [client]);
};
