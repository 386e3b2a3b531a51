"use client";

import { type ComponentType, lazy, Suspense } from "react";

type Props = { pixelId?: string; productName: string };

const NOTHING = { AdParts: () => null };

// If the code cannot be loaded, there is no banner and nothing is sent.
const Parts = lazy<ComponentType<Props>>(async () => ({
  default: (await import("./ad-consent.tsx").catch(() => NOTHING)).AdParts,
}));

/** Loads the ad consent banner, or without `pixelId` the footer's button for it. */
export function LazyAdConsent(props: Props) {
  return (
    <Suspense>
      <Parts {...props} />
    </Suspense>
  );
}
