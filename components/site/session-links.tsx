"use client";

import { useSyncExternalStore } from "react";
import { LinkButton } from "#components/ui/link-button.tsx";
import { getToken, onTokenChange } from "#lib/client/api.ts";

/**
 * Dashboard with a stored token, Sign in and Sign up without (R-NAV-02, R-NAV-03). The server paints what the session
 * cookie says, so nothing flickers for those whose cookie and token agree; the stored token then decides.
 */
export function SessionLinks({ isSignedIn }: { isSignedIn: boolean }) {
  const hasToken = useSyncExternalStore(
    onTokenChange,
    () => getToken() !== null,
    () => isSignedIn,
  );
  if (hasToken) {
    return (
      <LinkButton href="/app" variant="primary">
        Dashboard
      </LinkButton>
    );
  }
  return (
    <>
      <LinkButton href="/login" variant="quiet">
        Sign in
      </LinkButton>
      <LinkButton href="/register" variant="primary">
        Sign up
      </LinkButton>
    </>
  );
}
