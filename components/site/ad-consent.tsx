"use client";

import { usePathname } from "next/navigation";
import { type ComponentType, lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { getAdConsent, onAdConsentChange, reopenAdConsent } from "#lib/client/ad-consent.ts";
import { adPixelAddress } from "#lib/core/ad-pixel.ts";
import { AD_CHOICE_ID, AD_QUESTION_ID } from "./ad-places.ts";
import { FOOTER_LINK } from "./frame.ts";

const STATES = { allowed: "Ad measurement: allowed", refused: "Ad measurement: refused" } as const;

/** Puts the question again, and the focus on it: it stands elsewhere in the page. */
function askAgain(): void {
  const question = document.getElementById(AD_QUESTION_ID);
  if (question) question.focus();
  else reopenAdConsent();
}

/** In the footer: what was answered about the ad pixel, and the way to answer anew. */
function AdChoice() {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => null);
  return (
    <button type="button" id={AD_CHOICE_ID} className={FOOTER_LINK} onClick={askAgain}>
      {consent ? STATES[consent] : "Ad measurement"}
    </button>
  );
}

const UNASKED = { AdQuestion: () => null };

// Fetched where there is no answer yet. Where it cannot be, nobody is asked, and so nothing is sent.
const AdQuestion = lazy<ComponentType<{ productName: string }>>(async () => ({
  default: (await import("./ad-question.tsx").catch(() => UNASKED)).AdQuestion,
}));

type AdConsentProps = { pixelId: string; productName: string };

/** Says that a page was looked at. The referrer is our origin at most: an address may carry a token. */
function tell(pixelId: string): void {
  const picture = new Image(1, 1);
  picture.referrerPolicy = "origin";
  picture.src = adPixelAddress(pixelId, "PageView", Date.now());
}

/**
 * Asks once whether the ad pixel may be told of visits, and tells it after a yes. Nothing is sent before, and
 * nothing about the person ever.
 */
function AdConsent({ pixelId, productName }: AdConsentProps) {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => "unknown");
  const path = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that is looked at counts
  useEffect(() => {
    if (consent === "allowed") tell(pixelId);
  }, [consent, path, pixelId]);

  if (consent !== null) return null;
  return (
    <Suspense>
      <AdQuestion productName={productName} />
    </Suspense>
  );
}

/** The question when it is given the pixel's id, else the footer's button. */
export function AdParts({ pixelId, productName }: { pixelId?: string; productName: string }) {
  return pixelId ? <AdConsent pixelId={pixelId} productName={productName} /> : <AdChoice />;
}
