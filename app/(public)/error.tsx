"use client";

import { LazyPageError } from "#components/site/lazy-page-error.tsx";

/** Shown when a public page fails; header and footer stay. */
export default function PublicError({ error, retry }: { error: unknown; retry: () => void }) {
  return <LazyPageError error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />;
}
