"use client";

import { FallenPin } from "#components/site/fallen-pin.tsx";

/** When a screen fails; the sidebar stays. */
export default function ScreenError({ error, retry }: { error: unknown; retry: () => void }) {
  return <FallenPin error={error} retry={retry} home={{ href: "/app", label: "Back to Dashboard" }} />;
}
