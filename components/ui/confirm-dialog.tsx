"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";

type ConfirmDialogProps = {
  isOpen: boolean;
  /** The title, such as "Remove juniper.studio?". */
  question: ReactNode;
  /** What will happen. */
  children?: ReactNode;
  declineLabel: string;
  confirmLabel: string;
  isDangerous?: boolean;
  isBusy?: boolean;
  /** Focused on close when the opener disappears too; null focuses the opener. */
  focusAfter?: () => HTMLElement | null;
  onDecline: () => void;
  onConfirm: () => void;
};

/** Asks for confirmation. Declining, Escape and the backdrop all close it without confirming. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, question, children, declineLabel, confirmLabel, isDangerous, isBusy } = props;
  const { focusAfter, onDecline, onConfirm } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onDecline} title={question} description={children} focusAfter={focusAfter}>
      <DialogActions>
        <Button variant="quiet" onClick={onDecline}>
          {declineLabel}
        </Button>
        <Button variant={isDangerous ? "danger" : "primary"} isBusy={isBusy} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
