"use client";

import { lazy, Suspense } from "react";
import type { PageErrorProps } from "#components/site/page-error.tsx";

const PageError = lazy(async () => ({ default: (await import("#components/site/page-error.tsx")).PageError }));

/**
 * Loads {@link PageError} only when a page fails, to keep it out of every page's code. If loading fails too, the global
 * error page shows plain text.
 */
export function LazyPageError(props: PageErrorProps) {
  return (
    <Suspense>
      <PageError {...props} />
    </Suspense>
  );
}
