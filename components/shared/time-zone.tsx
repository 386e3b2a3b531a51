"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { browserTimeZone, TimeZoneCookie } from "#components/shared/browser-time-zone.tsx";
import { callAction } from "#lib/client/api.ts";
import { setTimeZoneAction } from "#lib/features/identity/actions.ts";

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
