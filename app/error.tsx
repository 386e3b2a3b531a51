"use client";

import { FallenPinLater } from "#components/site/fallen-pin-later.tsx";

/** When a layout below the root fails, as every page of `/app` does while the database is away. */
export default function RootError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main id="main" className="py-16">
      <FallenPinLater error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
    </main>
  );
}
