"use client";

import { useCallback, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { BANNER_MS } from "#lib/features/accounts/constants.ts";

export interface Connecting {
  isBusy: boolean;
  refusal: string | null;
  connect: (accountId?: string) => Promise<void>;
}

/** Starts a connection at Pinterest. A 403 is shown for ten seconds; other errors are only logged. */
export const useConnect = (): Connecting => {
  const { isSessionFailure } = useSessionEnd();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (refusal === null) return;
    const timer = setTimeout(() => setRefusal(null), BANNER_MS);
    return () => clearTimeout(timer);
  }, [refusal]);

  const connect = useCallback(
    async (accountId?: string) => {
      setBusy(true);
      setRefusal(null);
      try {
        const query = accountId ? `?account_id=${encodeURIComponent(accountId)}` : "";
        const { auth_url } = await api.get<{ auth_url: string }>(`/api/users/pinterest/auth/${query}`);
        location.assign(auth_url);
      } catch (error) {
        setBusy(false);
        if (isSessionFailure(error)) return;
        if (error instanceof ApiError && error.status === 403) {
          setRefusal(describeFailure(error, "Your plan doesn't include another account."));
        } else {
          console.error("Connecting a Pinterest account failed", error);
        }
      }
    },
    [isSessionFailure],
  );

  return { isBusy, refusal, connect };
};
