"use client";

import { useState } from "react";
import type { EditsSent } from "#components/pins/manage/edit-choice.ts";
import { useChoiceKey } from "#components/pins/manage/use-choice-key.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/call-action.ts";
import {
  deleteDraftsAction,
  duplicatePinsAction,
  editDraftsAction,
  undoEditsAction,
} from "#lib/features/pins/actions.ts";
import type { UndoEditsInput } from "#lib/features/pins/schema.ts";

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Changes and copies of several pins, all or none, each with an Undo in its toast. */
export interface Changes {
  isBusy: boolean;
  /** @returns whether they were changed. */
  edit: (pinIds: string[], change: EditsSent) => Promise<boolean>;
  /** @returns whether the copies were made. */
  duplicate: (pinIds: string[], boardIds: string[]) => Promise<boolean>;
}

/** `onChanged` is called after each change and after each Undo. */
export const useChanges = ({ onChanged }: { onChanged: () => void }): Changes => {
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const { keyOf, forget } = useChoiceKey();
  const changeBack = async (undo: UndoEditsInput) => {
    const answer = await callAction(undoEditsAction(undo));
    if (answer.ok) showToast(`${counted(undo.edits.length, "pin is", "pins are")} as before`);
    else notice.error(answer.text);
    onChanged();
  };

  const dropCopies = async (pinIds: string[]) => {
    const answer = await callAction(deleteDraftsAction({ pinIds }));
    if (answer.ok) showToast(`${counted(pinIds.length, "copy is", "copies are")} gone`);
    else notice.error(answer.text);
    onChanged();
  };

  const edit: Changes["edit"] = async (pinIds, change) => {
    setBusy(true);
    const answer = await callAction(editDraftsAction({ pinIds, change }));
    setBusy(false);
    if (!answer.ok) notice.error(answer.text);
    else {
      const { edited, undo } = answer.value;
      const onUndo = undo && { onUndo: () => void changeBack(undo) };
      showToast(`${counted(edited, "pin", "pins")} changed`, { hasCheck: true, ...onUndo });
    }
    onChanged();
    return answer.ok;
  };

  const duplicate: Changes["duplicate"] = async (pinIds, boardIds) => {
    setBusy(true);
    const copies = { pinIds, boardIds, idempotencyKey: keyOf(pinIds, boardIds) };
    const answer = await callAction(duplicatePinsAction(copies));
    setBusy(false);
    if (!answer.ok) {
      notice.error(answer.text);
      return false;
    }
    forget();
    const { ids } = answer.value;
    showToast(`${counted(ids.length, "copy", "copies")} made`, { hasCheck: true, onUndo: () => void dropCopies(ids) });
    onChanged();
    return true;
  };

  return { isBusy, edit, duplicate };
};
