"use client";

import { useSyncExternalStore } from "react";
import { getAdConsent, onAdConsentChange, reopenAdConsent } from "#lib/client/ad-consent.ts";

const STATES = { allowed: "Ad measurement: allowed", refused: "Ad measurement: refused" } as const;

/** In the footer: what was answered about the ad pixel, and the way to answer anew. */
export function AdChoice() {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => null);
  return (
    <button type="button" className="footer-link" onClick={reopenAdConsent}>
      {consent ? STATES[consent] : "Ad measurement"}
    </button>
  );
}
