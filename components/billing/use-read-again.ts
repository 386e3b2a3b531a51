"use client";

import { useEffect } from "react";
import { useStream } from "#lib/client/use-stream.ts";

/**
 * Reads again what payments change: when credits move, which a renewal does, when news were missed, and when the browser
 * comes back from the provider's pages.
 */
export function useReadAgain(reload: () => void): void {
  useStream(({ kind }) => {
    if (kind === "credits" || kind === "reset") reload();
  });
  useEffect(() => {
    function readSeen(): void {
      if (document.visibilityState === "visible") reload();
    }
    // The first load tells of itself as well; nothing is out of date then.
    function readKept(event: PageTransitionEvent): void {
      if (event.persisted) reload();
    }
    document.addEventListener("visibilitychange", readSeen);
    window.addEventListener("pageshow", readKept);
    return () => {
      document.removeEventListener("visibilitychange", readSeen);
      window.removeEventListener("pageshow", readKept);
    };
  }, [reload]);
}
