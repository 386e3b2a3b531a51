"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { cn } from "#components/ui/cn.ts";
import { api } from "#lib/client/api.ts";
import { getToken } from "#lib/client/browser-storage.ts";
import { resumeExchange } from "#lib/client/session-state.ts";

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
      if (getToken() !== null) return;
      setPhase("redirected");
      leave();
    }
    leaveWithoutToken();
    // Another tab logged out.
    window.addEventListener("storage", leaveWithoutToken);
    return () => window.removeEventListener("storage", leaveWithoutToken);
  }, [path, leave]);

  useEffect(() => {
    if (getToken() === null) return;
    const controller = new AbortController();
    api
      .get("/api/users/checkAuth/", controller.signal)
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
