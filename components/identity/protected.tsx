"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { cn } from "#components/ui/cn.ts";
import { api, cookieOf } from "#lib/client/api.ts";
import { clearToken, getToken, setToken } from "#lib/client/browser-storage.ts";
import { resumeTokenExchange } from "#lib/client/session-state.ts";
import { FORM_LOGIN_COOKIE } from "#lib/core/browser-keys.ts";

const isFormLogin = (): boolean => cookieOf(FORM_LOGIN_COOKIE) !== undefined;

/** After a login without JavaScript only the cookie exists, so the access token is fetched with it. */
const takeFormLogin = async (signal: AbortSignal): Promise<void> => {
  if (!isFormLogin()) return;
  // A stored token may belong to another user, and a token decides before the cookie.
  clearToken();
  const { accessToken } = await api.put<{ accessToken: string }>("/api/auth/exchange/", {}, signal);
  setToken(accessToken);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${FORM_LOGIN_COOKIE}=; Path=/; Max-Age=0`;
};

type Phase = "loading" | "authenticated" | "redirected";

/**
 * The protected-route wrapper. The server renders the page for a valid cookie; it stays inert until the
 * stored token has been checked too, so the layout does not shift.
 */
export function Protected({ children }: { children: ReactNode }) {
  const [phase, setPhase] = useState<Phase>("loading");
  const path = usePathname();
  const { leave, fail } = useSessionEnd();

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again on every navigation
  useEffect(() => {
    function leaveWithoutToken(): void {
      if (getToken() !== null || isFormLogin()) return;
      setPhase("redirected");
      leave();
    }
    leaveWithoutToken();
    // Fires when another tab logs out.
    window.addEventListener("storage", leaveWithoutToken);
    return () => window.removeEventListener("storage", leaveWithoutToken);
  }, [path, leave]);

  useEffect(() => {
    if (getToken() === null && !isFormLogin()) return;
    const controller = new AbortController();
    takeFormLogin(controller.signal)
      .then(() => api.get("/api/users/checkAuth/", controller.signal))
      .then(() => {
        resumeTokenExchange();
        setPhase("authenticated");
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        setPhase("redirected");
        fail(error);
      });
    return () => controller.abort();
  }, [fail]);

  return (
    <>
      <noscript>
        <p className="p-6">The app needs JavaScript. Turn it on in your browser, then reload this page.</p>
      </noscript>
      {phase === "loading" && (
        <div
          role="status"
          className={cn(
            "fixed top-0 bottom-auto inset-x-0 z-(--z-notice) h-0.5 bg-accent origin-left",
            "animate-[checking_1.2s_var(--ease-out)_infinite]",
          )}
          data-testid="auth-loading"
        >
          <span className="sr-only">Checking your session</span>
        </div>
      )}
      <div
        className={phase === "redirected" ? "invisible" : undefined}
        inert={phase !== "authenticated"}
        aria-busy={phase === "loading"}
        data-auth={phase}
      >
        {children}
      </div>
    </>
  );
}
