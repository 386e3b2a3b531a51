"use client";

import { useState } from "react";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { MakePinsDialog } from "#components/videos/make-pins-dialog.tsx";
import { NotesDialog } from "#components/videos/notes-dialog.tsx";
import type { SavedTool } from "#components/videos/saved-card.tsx";
import { nameOf } from "#components/videos/shown-video.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

type SavedDialogsProps = {
  open: { tool: SavedTool; video: SavedVideoWire } | null;
  /** Null while no Pinterest account is connected: nothing can be made yet. */
  creatorPath: string | null;
  isDeleting: boolean;
  onClose: () => void;
  onSaved: (video: SavedVideoWire) => void;
  /** @returns whether it is gone */
  onDelete: (video: SavedVideoWire) => Promise<boolean>;
};

/** No other card was left. */
const LAST = "";

const cardOf = (id: string): HTMLElement | null => document.querySelector(`[data-video="${CSS.escape(id)}"]`);

/** The dialog that a card's tool opens. */
export function SavedDialogs({ open, creatorPath, isDeleting, onClose, onSaved, onDelete }: SavedDialogsProps) {
  // Where a card was deleted, the focus goes to its neighbour; null leaves it to the button that opened the dialog.
  const [after, setAfter] = useState<string | null>(null);
  const video = (tool: SavedTool) => (open?.tool === tool ? open.video : null);
  const deleted = video("delete");
  const confirm = async () => {
    if (!deleted) return;
    const card = cardOf(deleted.id);
    const next = card?.nextElementSibling ?? card?.previousElementSibling;
    const isGone = await onDelete(deleted);
    setAfter(isGone ? (next?.getAttribute("data-video") ?? LAST) : null);
    onClose();
  };
  const focusAfter = () => {
    if (after === null) return null;
    setAfter(null);
    return cardOf(after)?.querySelector("input") ?? document.querySelector<HTMLElement>("main");
  };
  return (
    <>
      <ConfirmDialog
        isOpen={deleted !== null}
        question="Are you sure you want to delete this video?"
        declineLabel="Keep it"
        confirmLabel="Delete"
        isDangerous
        isBusy={isDeleting}
        focusAfter={focusAfter}
        onDecline={onClose}
        onConfirm={() => void confirm()}
      >
        {deleted && nameOf(deleted)}
      </ConfirmDialog>
      <NotesDialog video={video("notes")} onClose={onClose} onSaved={onSaved} />
      <MakePinsDialog video={video("pins")} creatorPath={creatorPath} onClose={onClose} />
    </>
  );
}
