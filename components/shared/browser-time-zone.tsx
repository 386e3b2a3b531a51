"use client";

import { useEffect } from "react";
import { TIME_ZONE_COOKIE } from "#lib/core/browser-keys.ts";
import { YEAR_SECONDS } from "#lib/core/time.ts";

/** Returns the browser's time zone as an IANA name. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Stores the browser's time zone in a cookie, so that the server renders the next page in it. */
export function TimeZoneCookie() {
  useEffect(() => {
    const zone = encodeURIComponent(browserTimeZone());
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
    document.cookie = `${TIME_ZONE_COOKIE}=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  }, []);
  return null;
}
