"use client";

import { FallenPinLater } from "#components/site/fallen-pin-later.tsx";
import "./globals.css";

/** When the root layout itself fails; Next also serves it as the page for status 500. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <title>Page Not Loaded</title>
        <main id="main" className="py-16">
          <FallenPinLater error={error} retry={retry} home={{ href: "/", label: "Back to Homepage" }} />
        </main>
      </body>
    </html>
  );
}
