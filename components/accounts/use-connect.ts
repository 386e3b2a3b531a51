"use client";

import { useCallback, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { BANNER_MS } from "#lib/features/accounts/constants.ts";

/** Starting a connection: what is going on, and the text of a refusal while it shows. */
export interface Connecting {
  isBusy: boolean;
  refusal: string | null;
  connect: (accountId?: string) => Promise<void>;
}

/** R-ACC-07: asks for the consent address and goes there. A 403 shows for ten seconds, the rest is only logged. */
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
          setRefusal(describeFailure(error, "Your plan does not allow another account."));
        } else {
          console.error("Connecting a Pinterest account failed", error);
        }
      }
    },
    [isSessionFailure],
  );

  return { isBusy, refusal, connect };
};
