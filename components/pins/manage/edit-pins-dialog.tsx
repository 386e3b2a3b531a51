"use client";

import { type FormEvent, type RefObject, useState } from "react";
import { useBoards } from "#components/accounts/use-boards.ts";
import { type EditChoice, type EditsSent, isChosen, NO_EDIT, toChange } from "#components/pins/manage/edit-choice.ts";
import { EditFields } from "#components/pins/manage/edit-fields.tsx";
import { PlannedChanges } from "#components/pins/manage/planned-changes.tsx";
import { type EditPreview, useEditPreview } from "#components/pins/manage/use-edit-preview.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useTellTyped, useTypedDialog } from "#components/ui/use-typed-dialog.ts";
import type { PlannedEdit } from "#lib/features/pins/schema.ts";

const pinsText = (count: number): string => (count === 1 ? "1 pin" : `${count} pins`);

export type EditPinsProps = {
  accountId: string | null;
  pinIds: string[];
  isBusy: boolean;
  /** @returns whether they were changed. */
  onApply: (pinIds: string[], change: EditsSent) => Promise<boolean>;
  /** Takes pins that cannot be changed out of the selection. */
  onLeaveOut: (pinIds: string[]) => void;
  onClose: () => void;
};

type PreviewProps = Pick<EditPinsProps, "onLeaveOut"> & {
  preview: EditPreview;
  isEmpty: boolean;
  nameOf: (boardId: string) => string;
};

const isEdited = ({ changes, problem }: PlannedEdit): boolean => changes.length > 0 && problem === null;

/** Why this cannot be done, where no field says it already. */
const problemOf = ({ problem, fields }: EditPreview): string | null =>
  problem !== null && Object.keys(fields).length === 0 ? problem : null;

/** What would come of it, beside the fields. */
function Preview({ preview, isEmpty, nameOf, onLeaveOut }: PreviewProps) {
  const { edits, isCurrent } = preview;
  const problem = problemOf(preview);
  const stuck = edits?.filter((edit) => edit.problem !== null).map(({ id }) => id) ?? [];
  const count = edits?.filter(isEdited).length ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className="edit-preview" aria-label="What changes" aria-busy={!isEmpty && !isCurrent} tabIndex={0}>
      <p role="status" className="text-sm text-ink-2 num">
        {isEmpty && "Choose what to change. You see here what becomes of each pin before anything is kept."}
        {Object.keys(preview.fields).length > 0 && "Correct what is marked: then you see here what changes."}
        {edits && (count === 0 ? "Nothing would change." : `${pinsText(count)} of ${edits.length} would change.`)}
      </p>
      {problem !== null && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      {stuck.length > 0 && (
        <Banner
          tone="low"
          isAnnounced
          action={
            <Button size="sm" onClick={() => onLeaveOut(stuck)}>
              Leave out
            </Button>
          }
        >
          {pinsText(stuck.length)} cannot be changed this way.
        </Banner>
      )}
      {edits && <PlannedChanges edits={edits} nameOf={nameOf} />}
    </section>
  );
}

type EditFormProps = EditPinsProps & { typed: RefObject<boolean> };

function EditForm({ accountId, pinIds, isBusy, typed, onApply, onLeaveOut, onClose }: EditFormProps) {
  const boards = useBoards(accountId);
  const [choice, setChoice] = useState<EditChoice>(NO_EDIT);
  useTellTyped(typed, isChosen(choice));
  const change = toChange(choice);
  const preview = useEditPreview(pinIds, change);
  const count = preview.edits?.filter(isEdited).length ?? 0;
  const isStuck = preview.edits?.some(({ problem }) => problem !== null) ?? false;
  const isReady = change !== null && preview.isCurrent && preview.edits !== null && count > 0 && !isStuck;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    if (await onApply(pinIds, change)) onClose();
  };

  return (
    <form onSubmit={submit} noValidate aria-label="Change the selected pins">
      <div className="edit-form">
        <EditFields
          boards={boards}
          choice={choice}
          problems={preview.fields}
          onChange={(some) => setChoice((before) => ({ ...before, ...some }))}
        />
        <Preview
          preview={preview}
          isEmpty={change === null}
          nameOf={(boardId) => boards.items?.find(({ id }) => id === boardId)?.name ?? boardId}
          onLeaveOut={onLeaveOut}
        />
      </div>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isReady && !isBusy}>
          {isReady ? `Change ${pinsText(count)}` : "Change"}
        </Button>
      </DialogActions>
    </form>
  );
}

type EditPinsDialogProps = EditPinsProps & { isOpen: boolean; focusAfter: () => HTMLElement | null };

/** Board, link with its UTM parameters, and the end of the description of several drafts, with what becomes of each. */
export function EditPinsDialog({ isOpen, focusAfter, ...form }: EditPinsDialogProps) {
  const { guard, typed } = useTypedDialog(isOpen, form.onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={`Edit ${pinsText(form.pinIds.length)}`}
      focusAfter={focusAfter}
      isWide
      hasCloseButton
      className="manage-dialog"
    >
      <EditForm {...form} typed={typed} />
      <DiscardDialog guard={guard}>None of the pins has been changed yet.</DiscardDialog>
    </Dialog>
  );
}
