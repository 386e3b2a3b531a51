"use client";

import { FallenPin } from "#components/site/fallen-pin.tsx";

/** When a public page fails; header and footer stay. */
export default function PublicError({ error, retry }: { error: unknown; retry: () => void }) {
  return <FallenPin error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />;
}
