"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { ApiError, dropRejectedToken } from "#lib/client/api.ts";
import { createQueryClient } from "#lib/client/query-client.ts";
import { useSessionEnd } from "./session.ts";

/** Provides the query cache. A 401 response ends the session. */
export function ServerState({ children }: { children: ReactNode }) {
  const { isSessionFailure } = useSessionEnd();
  const onError = useStableCallback((error: unknown, isQuiet: boolean) => {
    if (!isQuiet) isSessionFailure(error);
    else if (error instanceof ApiError && error.status === 401) dropRejectedToken(error);
  });
  const [client] = useState(() => createQueryClient(onError));
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
