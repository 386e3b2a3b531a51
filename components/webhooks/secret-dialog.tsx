"use client";

import { CopyButton } from "#components/shared/copy-button.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";

type SecretDialogProps = {
  /** Null when there is none to show. */
  secret: string | null;
  onClose: () => void;
};

/** A signing secret, which is shown only once. */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  return (
    <Dialog
      isOpen={secret !== null}
      onClose={onClose}
      width="md"
      title="Your signing secret"
      description="Use it to check that requests come from us. This is the only time we show it."
    >
      <p
        data-testid="webhook-secret"
        className="mt-5 rounded-control border border-line bg-well px-4 py-3.5 font-mono text-sm wrap-anywhere"
      >
        {secret}
      </p>
      <div className="mt-3">
        <CopyButton text={secret ?? ""}>Copy</CopyButton>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          I've saved it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
