"use client";

import { FallenPinLater } from "#components/site/fallen-pin-later.tsx";

/** When a public page fails; header and footer stay. */
export default function PublicError({ error, retry }: { error: unknown; retry: () => void }) {
  return <FallenPinLater error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />;
}
