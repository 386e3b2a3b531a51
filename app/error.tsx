"use client";

import { FallenPin } from "#components/site/fallen-pin.tsx";

/** When a layout below the root fails, as every page of `/app` does while the database is away. */
export default function RootError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main id="main" className="py-16">
      <FallenPin error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
    </main>
  );
}
