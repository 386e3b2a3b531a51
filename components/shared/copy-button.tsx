"use client";

import { Button } from "#components/ui/button.tsx";
import { showToast } from "#components/ui/toaster.tsx";

async function copy(text: string): Promise<void> {
  try {
    // Missing without HTTPS.
    await navigator.clipboard.writeText(text);
    showToast("Copied", { hasCheck: true });
  } catch (error) {
    console.warn("The text could not be copied", error);
    showToast("We couldn't copy this. Please select and copy it yourself.");
  }
}

/** A small button that copies a text. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  return (
    <Button size="sm" onClick={() => copy(text)}>
      {children}
    </Button>
  );
}
