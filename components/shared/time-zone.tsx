"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { callAction } from "#lib/client/api.ts";
import { setTimeZoneAction } from "#lib/features/identity/actions.ts";
import { TIME_ZONE_COOKIE } from "#lib/features/identity/constants.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The browser's own time zone. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Tells the server this browser's time zone, so that the next page is painted in it (DESIGN §8). */
export function TimeZoneCookie() {
  useEffect(() => {
    const zone = encodeURIComponent(browserTimeZone());
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
    document.cookie = `${TIME_ZONE_COOKIE}=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  }, []);
  return null;
}

const OwnZone = createContext<string | null>(null);

type TimeZoneProps = {
  /** The zone in which the page was painted for this browser; null when the user chose one that stays. */
  known: string | null;
  children: ReactNode;
};

/**
 * Keeps the browser's time zone for this user, and has times shown in it where the page was painted in another
 * (R-SRV-06). The page is not asked for again: without an answer the router would load it anew, and what was typed
 * or chosen meanwhile would be gone.
 */
export function TimeZone({ known, children }: TimeZoneProps) {
  const [own, setOwn] = useState<string | null>(null);

  useEffect(() => {
    const zone = browserTimeZone();
    if (known === null || zone === known) return;
    setOwn(zone);
    void callAction(setTimeZoneAction({ timeZone: zone }));
  }, [known]);

  return (
    <OwnZone value={known === null ? null : own}>
      <TimeZoneCookie />
      {children}
    </OwnZone>
  );
}

/** The zone to show times in: the browser's once it is known, else the one in which the server `painted` them. */
export const useTimeZone = (painted: string): string => useContext(OwnZone) ?? painted;
