"use client";

import { FallenPinLater } from "#components/site/fallen-pin-later.tsx";

/** When a screen fails; the sidebar stays. */
export default function ScreenError({ error, retry }: { error: unknown; retry: () => void }) {
  return <FallenPinLater error={error} retry={retry} home={{ href: "/app", label: "Back to Dashboard" }} />;
}
