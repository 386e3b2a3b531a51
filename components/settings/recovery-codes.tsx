"use client";

import { Button } from "#components/ui/button.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { downloadBlob } from "#lib/client/files.ts";

async function copy(text: string): Promise<void> {
  try {
    // Missing without HTTPS.
    await navigator.clipboard.writeText(text);
    showToast("Copied", { hasCheck: true });
  } catch (error) {
    console.warn("The codes could not be copied", error);
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

type RecoveryCodesProps = { codes: readonly string[]; onDone: () => void };

/** New recovery codes, to copy or download. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <ol
        aria-label="Recovery codes"
        className="num mt-5 grid grid-cols-2 gap-x-6 gap-y-2 rounded-control border border-line bg-well px-4 py-3.5 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code} className="whitespace-nowrap">
            {code}
          </li>
        ))}
      </ol>
      <div className="mt-3 flex flex-wrap gap-2.5">
        <CopyButton text={text}>Copy</CopyButton>
        <Button size="sm" onClick={() => downloadBlob(new Blob([text], { type: "text/plain" }), "recovery-codes.txt")}>
          Download
        </Button>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          I've saved them
        </Button>
      </DialogActions>
    </>
  );
}
