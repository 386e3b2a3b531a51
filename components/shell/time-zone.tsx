"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { setTimeZoneAction } from "#lib/features/identity/actions.ts";
import { TIME_ZONE_COOKIE } from "#lib/features/identity/constants.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Keeps the browser's time zone, so that the server paints times in it from the next page on (R-SRV-06). */
export function TimeZone({ known }: { known: string }) {
  const router = useRouter();

  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
    document.cookie = `${TIME_ZONE_COOKIE}=${encodeURIComponent(zone)}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
    if (zone === known) return;
    let isGone = false;
    setTimeZoneAction({ timeZone: zone })
      .then((result) => {
        if (result.ok && !isGone) router.refresh();
      })
      .catch((error: unknown) => {
        // Times stay right to the minute in the zone they were painted in; the next page tries again.
        console.warn("The time zone could not be kept", error);
      });
    return () => {
      isGone = true;
    };
  }, [known, router]);

  return null;
}
