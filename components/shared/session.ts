"use client";

import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, describeFailure, dropRejectedToken } from "#lib/client/api.ts";
import { rememberPath } from "#lib/client/remembered.ts";
import { hasLoggedOut, pauseTokenExchange } from "#lib/client/session-state.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

type SessionEnd = {
  /** Goes to /login and remembers the path, when there is no stored token. */
  leave: () => void;
  /** Shows why the auth check failed and goes to /login. A 401 also removes the token. */
  fail: (error: unknown) => void;
  /** Handles a 401 and returns true; leaves every other error to the caller. */
  isSessionFailure: (error: unknown) => boolean;
};

/** Functions that end the session and leave the signed-in area. */
export function useSessionEnd(): SessionEnd {
  const router = useRouter();
  const notice = useNotice();

  const leave = useCallback(() => {
    // Several calls may fail at once; only the first still sees the requested path.
    if (!window.location.pathname.startsWith("/app")) return;
    if (!hasLoggedOut()) rememberPath(window.location.pathname + window.location.search);
    router.replace("/login");
  }, [router]);

  const fail = useCallback(
    (error: unknown) => {
      if (hasLoggedOut()) return;
      if (error instanceof ApiError && error.status === 401) {
        // Another tab signed in, so this page may show someone else's data.
        if (error.isOutdated) return window.location.reload();
        dropRejectedToken(error);
        notice.error(TEXTS.sessionExpired);
      } else {
        pauseTokenExchange();
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
