"use client";

import { lazy, Suspense } from "react";
import type { FallenPinProps } from "#components/site/fallen-pin.tsx";

const FallenPin = lazy(async () => ({ default: (await import("#components/site/fallen-pin.tsx")).FallenPin }));

/**
 * A {@link FallenPin} that is fetched when a page fails: every page carries the boundaries, and nearly none needs them.
 * Where it cannot be fetched, the failure goes on to the page for failures of the root, which says so in plain text.
 */
export function FallenPinLater(props: FallenPinProps) {
  return (
    <Suspense>
      <FallenPin {...props} />
    </Suspense>
  );
}
