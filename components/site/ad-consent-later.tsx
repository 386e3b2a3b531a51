"use client";

import { lazy, Suspense } from "react";

const Parts = lazy(async () => ({ default: (await import("./ad-consent.tsx")).AdParts }));

/**
 * The question about the ad pixel, or without a pixel's id the footer's button for it. Its code is fetched only where
 * a pixel is set.
 */
export function AdConsentLater(props: { pixelId?: string; productName: string }) {
  return (
    <Suspense>
      <Parts {...props} />
    </Suspense>
  );
}
