"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";

type ConfirmDialogProps = {
  isOpen: boolean;
  /** The question, as the title: 'Remove juniper.studio?'. */
  question: ReactNode;
  /** What will happen. */
  children?: ReactNode;
  declineLabel: string;
  confirmLabel: string;
  isDangerous?: boolean;
  isBusy?: boolean;
  /** What gets the focus on closing where the opener goes as well; null leaves it to the opener. */
  focusAfter?: () => HTMLElement | null;
  onDecline: () => void;
  onConfirm: () => void;
};

/** Asks before something that cannot be taken back. Declining, Escape and the backdrop send nothing. */
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
