"use client";

import { lazy, Suspense } from "react";
import type { FallenPinProps } from "#components/site/fallen-pin.tsx";

/** What shows where the drawn one cannot be fetched. */
function BareFallenPin({ retry, home }: FallenPinProps) {
  return (
    <section className="site-width py-16" data-testid="fallen-pin">
      <h1 className="display text-d2">Page Not Loaded</h1>
      <p className="lead mt-6">
        <button type="button" className="underline" onClick={retry}>
          Try again
        </button>{" "}
        <a className="underline" href={home.href}>
          {home.label}
        </a>
      </p>
    </section>
  );
}

const FallenPin = lazy(async () => {
  const loaded = await import("#components/site/fallen-pin.tsx").catch(() => null);
  return { default: loaded?.FallenPin ?? BareFallenPin };
});

/** A {@link FallenPin} that is fetched when a page fails: every page carries the boundaries, and nearly none needs them. */
export function FallenPinLater(props: FallenPinProps) {
  return (
    <Suspense>
      <FallenPin {...props} />
    </Suspense>
  );
}
