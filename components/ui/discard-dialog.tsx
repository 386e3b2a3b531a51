import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import type { LeaveGuard } from "#components/ui/use-leave-guard.ts";

type DiscardDialogProps = {
  guard: LeaveGuard;
  /** What would be lost, in a sentence. */
  children: string;
};

/** Asks before unsaved changes are discarded. Escape returns to the form. */
export function DiscardDialog({ guard, children }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      isOpen={guard.isConfirming}
      question="Discard your changes?"
      declineLabel="Keep editing"
      confirmLabel="Discard"
      isDangerous
      onDecline={guard.keepEditing}
      onConfirm={guard.discard}
    >
      {children}
    </ConfirmDialog>
  );
}
