"use client";

import { useSyncExternalStore } from "react";
import { AD_CHOICE_ID, AD_QUESTION_ID } from "#components/site/ad-places.ts";
import { getAdConsent, onAdConsentChange, reopenAdConsent } from "#lib/client/ad-consent.ts";

const STATES = { allowed: "Ad measurement: allowed", refused: "Ad measurement: refused" } as const;

/** Puts the question again, and the focus on it: it stands elsewhere in the page. */
function askAgain(): void {
  const question = document.getElementById(AD_QUESTION_ID);
  if (question) question.focus();
  else reopenAdConsent();
}

/** In the footer: what was answered about the ad pixel, and the way to answer anew. */
export function AdChoice() {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => null);
  return (
    <button type="button" id={AD_CHOICE_ID} className="footer-link" onClick={askAgain}>
      {consent ? STATES[consent] : "Ad measurement"}
    </button>
  );
}
