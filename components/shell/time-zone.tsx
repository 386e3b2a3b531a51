"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { browserTimeZone, TimeZoneCookie } from "#components/shell/time-zone-cookie.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { setTimeZoneAction } from "#lib/features/identity/actions.ts";

/**
 * Keeps the browser's time zone for this user, and paints the page again if it was painted in another (R-SRV-06).
 * Nothing of it when the user chose a zone that stays: then none is `known`.
 */
export function TimeZone({ known }: { known: string | null }) {
  const router = useRouter();

  useEffect(() => {
    const zone = browserTimeZone();
    if (known === null || zone === known) return;
    void callAction(setTimeZoneAction({ timeZone: zone }));
    router.refresh();
  }, [known, router]);

  return <TimeZoneCookie />;
}
