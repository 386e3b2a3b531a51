"use client";

import { useEffect, useState } from "react";
import { useCredits } from "#components/credits/credits-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { cancelGenerationAction } from "#lib/features/generation/actions.ts";
import { cancelledText, TEXTS } from "#lib/features/generation/constants.ts";

type CancelGenerationProps = {
  groupId: string;
  /** Pins that nobody has begun: what can be taken back. */
  waiting: number;
  /** Pins that are being made and will be finished. */
  going: number;
  /** What takes the focus when the button is gone. */
  focusId: string;
  /** Asks for the state of this moment. */
  onCancelled: () => void;
};

const pins = (count: number): string => (count === 1 ? "1 pin" : `${count} pins`);

/** The button that takes back what has not been started, with its question (DESIGN §5.2). */
export function CancelGeneration({ groupId, waiting, going, focusId, onCancelled }: CancelGenerationProps) {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [hasCancelled, setCancelled] = useState(false);
  const isGone = hasCancelled && waiting === 0;

  // With nothing left to cancel the button goes, and whoever pressed it by keyboard must not be left nowhere.
  useEffect(() => {
    if (isGone) document.getElementById(focusId)?.focus();
  }, [isGone, focusId]);

  const cancel = async () => {
    setBusy(true);
    const answer = await callAction(cancelGenerationAction({ groupId }));
    setBusy(false);
    setOpen(false);
    if (!answer.ok) return notice.error(answer.text);
    const { revokedTasks } = answer.value;
    showToast(revokedTasks === 0 ? TEXTS.nothingToCancel : cancelledText(revokedTasks), { hasCheck: revokedTasks > 0 });
    setCancelled(true);
    reloadCredits();
    onCancelled();
  };

  return (
    <>
      {waiting > 0 && (
        <Button size="sm" variant="quiet" onClick={() => setOpen(true)}>
          Cancel generation
        </Button>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        question="Cancel this generation?"
        declineLabel="Keep going"
        confirmLabel="Cancel generation"
        isDangerous
        isBusy={isBusy}
        onDecline={() => setOpen(false)}
        onConfirm={cancel}
      >
        {pins(waiting)} that nobody has begun will not be made, and the credits return.
        {going > 0 && ` ${pins(going)} being made will still become drafts.`}
      </ConfirmDialog>
    </>
  );
}
