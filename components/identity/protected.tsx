"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { cn } from "#components/ui/cn.ts";
import { api, cookieOf } from "#lib/client/api.ts";
import { getToken, setToken } from "#lib/client/browser-storage.ts";
import { resumeExchange } from "#lib/client/session-state.ts";
import { FORM_LOGIN_COOKIE } from "#lib/core/browser-keys.ts";

const isFormLogin = (): boolean => cookieOf(FORM_LOGIN_COOKIE) !== undefined;

/** A login that the form of /login opened before its script ran has left a cookie only: the token is fetched by it. */
const takeFormLogin = async (signal: AbortSignal): Promise<void> => {
  if (!isFormLogin()) return;
  const { accessToken } = await api.put<{ accessToken: string }>("/api/auth/exchange/", {}, signal);
  setToken(accessToken);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${FORM_LOGIN_COOKIE}=; Path=/; Max-Age=0`;
};

type Phase = "loading" | "authenticated" | "redirected";

/**
 * The protected-route wrapper (R-AUTH-01..05). The server has already painted the page for a valid cookie; until the
 * stored token is checked as well, the page stands still and cannot be used, so nothing shifts when it is.
 */
export function Protected({ children }: { children: ReactNode }) {
  const [phase, setPhase] = useState<Phase>("loading");
  const path = usePathname();
  const { leave, fail } = useSessionEnd();

  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again on every change of screen
  useEffect(() => {
    function leaveWithoutToken(): void {
      if (getToken() !== null || isFormLogin()) return;
      setPhase("redirected");
      leave();
    }
    leaveWithoutToken();
    // Another tab logged out.
    window.addEventListener("storage", leaveWithoutToken);
    return () => window.removeEventListener("storage", leaveWithoutToken);
  }, [path, leave]);

  useEffect(() => {
    if (getToken() === null && !isFormLogin()) return;
    const controller = new AbortController();
    takeFormLogin(controller.signal)
      .then(() => api.get("/api/users/checkAuth/", controller.signal))
      .then(() => {
        resumeExchange();
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
        <p className="p-6">
          This part of the site needs JavaScript. Turn it on in your browser, then reload this page.
        </p>
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
          <span className="sr-only">Checking your login</span>
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
