import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import type { LeaveGuard } from "#components/ui/use-leave-guard.ts";

type DiscardDialogProps = {
  guard: LeaveGuard;
  /** What would be lost, in a sentence. */
  children: string;
};

/** Asks before what was typed is given up. Escape goes back to the form. */
export function DiscardDialog({ guard, children }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      isOpen={guard.isAsking}
      question="Discard your changes?"
      declineLabel="Keep editing"
      confirmLabel="Discard"
      isDangerous
      onDecline={guard.keep}
      onConfirm={guard.discard}
    >
      {children}
    </ConfirmDialog>
  );
}
