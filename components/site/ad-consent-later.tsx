"use client";

import { type ComponentType, lazy, Suspense } from "react";

type Props = { pixelId?: string; productName: string };

const NOTHING = { AdParts: () => null };

// Where the code cannot be fetched, nobody is asked, and so nothing is sent.
const Parts = lazy<ComponentType<Props>>(async () => ({
  default: (await import("./ad-consent.tsx").catch(() => NOTHING)).AdParts,
}));

/**
 * The question about the ad pixel, or without a pixel's id the footer's button for it. Its code is fetched only where
 * a pixel is set.
 */
export function AdConsentLater(props: Props) {
  return (
    <Suspense>
      <Parts {...props} />
    </Suspense>
  );
}
