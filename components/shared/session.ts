"use client";

import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, describeFailure } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { rememberPath } from "#lib/client/remembered.ts";
import { hasLoggedOut, pauseExchange } from "#lib/client/session-state.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

type SessionEnd = {
  /** No stored token: to /login, with the path remembered (R-AUTH-01). */
  leave: () => void;
  /**
   * A failed auth check: says why and goes to /login. A 401 also removes the token (R-AUTH-04); anything else shows
   * the server's message or the literal fallback (R-AUTH-05).
   */
  fail: (error: unknown) => void;
  /** For screens: deals with a 401 of any call and answers true; leaves every other error to the caller. */
  isSessionFailure: (error: unknown) => boolean;
};

/** The ways out of the protected area. */
export function useSessionEnd(): SessionEnd {
  const router = useRouter();
  const notice = useNotice();

  const leave = useCallback(() => {
    // Several calls may fail together; only the first still stands on the page that was asked for.
    if (!window.location.pathname.startsWith("/app")) return;
    if (!hasLoggedOut()) rememberPath(window.location.pathname + window.location.search);
    router.replace("/login");
  }, [router]);

  const fail = useCallback(
    (error: unknown) => {
      if (hasLoggedOut()) return;
      if (error instanceof ApiError && error.status === 401) {
        clearToken();
        notice.error(TEXTS.sessionExpired);
      } else {
        pauseExchange();
        notice.error(describeFailure(error, TEXTS.authFailed));
      }
      leave();
    },
    [leave, notice],
  );

  const isSessionFailure = useCallback(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) return false;
      fail(error);
      return true;
    },
    [fail],
  );

  return { leave, fail, isSessionFailure };
}
