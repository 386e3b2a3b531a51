"use client";

import { CopyButton } from "#components/shared/copy-button.tsx";
import { Button } from "#components/ui/button.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { downloadBlob } from "#lib/client/files.ts";

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
