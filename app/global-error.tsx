"use client";

import { type ComponentType, lazy, Suspense } from "react";
import type { FallenPinProps } from "#components/site/fallen-pin.tsx";
import "./globals.css";

/** Needs nothing but itself, for when nothing else can be fetched. */
function PlainFailure() {
  return (
    <p className="site-width">
      This page could not be loaded. <a href="/">Back to Homepage</a>
    </p>
  );
}

const Failure = lazy<ComponentType<FallenPinProps>>(async () => {
  const loaded = await import("#components/site/fallen-pin.tsx").catch(() => null);
  return { default: loaded?.FallenPin ?? PlainFailure };
});

/** When the root layout itself fails; Next also serves it as the page for status 500. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <title>Page Not Loaded</title>
        <main id="main" className="py-16">
          <Suspense>
            <Failure error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
          </Suspense>
        </main>
      </body>
    </html>
  );
}
