"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { browserTimeZone, TimeZoneCookie } from "#components/shared/browser-time-zone.tsx";
import { callAction } from "#lib/client/api.ts";
import { setTimeZoneAction } from "#lib/features/identity/actions.ts";

const OwnZone = createContext<string | null>(null);

type TimeZoneProps = {
  /** The zone that the server rendered for this browser; null when the user chose a fixed zone. */
  known: string | null;
  children: ReactNode;
};

/**
 * Saves the browser's time zone for this user and shows times in it. The page is not refreshed: if that failed, the
 * router would reload it and lose what the user typed.
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

/** Returns the zone to show times in: the browser's once it is known, else the server's. */
export const useTimeZone = (rendered: string): string => useContext(OwnZone) ?? rendered;
