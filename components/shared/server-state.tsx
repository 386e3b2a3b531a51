"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { ApiError, dropRejectedToken } from "#lib/client/api.ts";
import { createQueryClient, refetchActive } from "#lib/client/query-client.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { imageUrlExpiry } from "#lib/features/pins/policy.ts";
import { useSessionEnd } from "./session.ts";

/** A page that stays open for a day holds image URLs that have expired; its data is then loaded again. */
function useExpiredImages(client: QueryClient): void {
  useEffect(() => {
    let nextRefetch = 0;
    const onError = ({ target }: Event) => {
      if (!(target instanceof HTMLImageElement)) return;
      const [now, expiry] = [Date.now(), imageUrlExpiry(target.currentSrc || target.src)];
      if (!expiry || expiry.getTime() > now || now < nextRefetch) return;
      nextRefetch = now + MINUTE_MS;
      void refetchActive(client, []);
    };
    // Errors of images don't bubble.
    document.addEventListener("error", onError, { capture: true });
    return () => document.removeEventListener("error", onError, { capture: true });
  }, [client]);
}

/** Provides the query cache. A 401 response ends the session. */
export function ServerState({ children }: { children: ReactNode }) {
  const { isSessionFailure } = useSessionEnd();
  const onError = useStableCallback((error: unknown, isQuiet: boolean) => {
    if (!isQuiet) isSessionFailure(error);
    else if (error instanceof ApiError && error.status === 401) dropRejectedToken(error);
  });
  const [client] = useState(() => createQueryClient(onError));
  useExpiredImages(client);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
