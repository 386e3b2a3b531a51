"use client";

import { LazyPageError } from "#components/site/lazy-page-error.tsx";

/** Shown when a layout below the root fails, for example every page of `/app` while the database is down. */
export default function RootError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main id="main" className="py-16">
      <LazyPageError error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
    </main>
  );
}
