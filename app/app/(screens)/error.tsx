"use client";

import { LazyPageError } from "#components/site/lazy-page-error.tsx";

/** Shown when a screen fails; the sidebar stays. */
export default function ScreenError({ error, retry }: { error: unknown; retry: () => void }) {
  return <LazyPageError error={error} retry={retry} home={{ href: "/app", label: "Back to Dashboard" }} />;
}
