"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useStable } from "#components/ui/use-stable.ts";
import { ApiError } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { createQueryClient } from "#lib/client/query-client.ts";
import { useSessionEnd } from "./session.ts";

/** The one cache of server state. A 401 answer ends the session (R-AUTH-04). */
export function ServerState({ children }: { children: ReactNode }) {
  const { isSessionFailure } = useSessionEnd();
  const onError = useStable((error: unknown, isQuiet: boolean) => {
    if (!isQuiet) isSessionFailure(error);
    else if (error instanceof ApiError && error.status === 401) clearToken();
  });
  const [client] = useState(() => createQueryClient(onError));
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
