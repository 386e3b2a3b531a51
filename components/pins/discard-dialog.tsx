import type { EditGuard } from "#components/pins/use-edit-guard.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";

/** Asks before what was typed into a draft is given up. Escape goes back to the form. */
export function DiscardDialog({ guard }: { guard: EditGuard }) {
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
      What you changed in this draft has not been saved.
    </ConfirmDialog>
  );
}
