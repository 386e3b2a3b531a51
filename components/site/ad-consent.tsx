"use client";

import { usePathname } from "next/navigation";
import { type ComponentType, lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { getAdConsent, onAdConsentChange, reopenAdConsent } from "#lib/client/ad-consent.ts";
import { adPixelUrl } from "#lib/core/ad-pixel.ts";
import { AD_BANNER_ID, AD_CHOICE_ID } from "./ad-ids.ts";
import { FOOTER_LINK } from "./site-style.ts";

const STATES = { allowed: "Ad measurement: allowed", refused: "Ad measurement: declined" } as const;

/** Shows the banner again and focuses it. */
function reopenBanner(): void {
  const banner = document.getElementById(AD_BANNER_ID);
  if (banner) banner.focus();
  else reopenAdConsent();
}

/** The footer's button: shows the choice about the ad pixel and lets the visitor change it. */
function AdChoice() {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => null);
  return (
    <button type="button" id={AD_CHOICE_ID} className={FOOTER_LINK} onClick={reopenBanner}>
      {consent ? STATES[consent] : "Ad measurement"}
    </button>
  );
}

const NO_BANNER = { AdConsentBanner: () => null };

// Loaded while there is no choice. If that fails, there is no banner and nothing is sent.
const AdConsentBanner = lazy<ComponentType<{ productName: string }>>(async () => ({
  default: (await import("./ad-consent-banner.tsx").catch(() => NO_BANNER)).AdConsentBanner,
}));

type AdConsentProps = { pixelId: string; productName: string };

/** Reports a page view. The referrer is reduced to our origin, since a URL may contain a token. */
function sendPageView(pixelId: string): void {
  const image = new Image(1, 1);
  image.referrerPolicy = "origin";
  image.src = adPixelUrl(pixelId, "PageView", Date.now());
}

/** Asks for consent to the ad pixel and reports page views after it was given. No personal data is ever sent. */
function AdConsent({ pixelId, productName }: AdConsentProps) {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => "unknown");
  const path = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: every page view counts
  useEffect(() => {
    if (consent === "allowed") sendPageView(pixelId);
  }, [consent, path, pixelId]);

  if (consent !== null) return null;
  return (
    <Suspense>
      <AdConsentBanner productName={productName} />
    </Suspense>
  );
}

/** The banner when it has a pixel id, else the footer's button. */
export function AdParts({ pixelId, productName }: { pixelId?: string; productName: string }) {
  return pixelId ? <AdConsent pixelId={pixelId} productName={productName} /> : <AdChoice />;
}
