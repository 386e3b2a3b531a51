"use client";

import { type ComponentType, lazy, Suspense } from "react";
import type { PageErrorProps } from "#components/site/page-error.tsx";
import "./globals.css";

/** Has no dependencies, for when nothing else can be loaded. */
function PlainError() {
  return (
    <p className="site-width">
      We couldn't load this page. <a href="/">Back to Homepage</a>
    </p>
  );
}

const Failure = lazy<ComponentType<PageErrorProps>>(async () => {
  const loaded = await import("#components/site/page-error.tsx").catch(() => null);
  return { default: loaded?.PageError ?? PlainError };
});

/** Shown when the root layout fails; Next also uses it as the page for status 500. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <title>This page didn't load</title>
        <main id="main" className="py-16">
          <Suspense>
            <Failure error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
          </Suspense>
        </main>
      </body>
    </html>
  );
}
