"use client";

import { useEffect } from "react";
import { TIME_ZONE_COOKIE } from "#lib/core/browser-keys.ts";

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
