"use client";

import { useRef, useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { randomKey } from "#lib/client/random-key.ts";
import {
  deleteDraftsAction,
  duplicatePinsAction,
  editDraftsAction,
  undoEditsAction,
} from "#lib/features/pins/actions.ts";
import type { UndoEditsInput } from "#lib/features/pins/schema.ts";
import type { EditChange } from "./edit-choice.ts";

interface ChoiceKey {
  /** Returns the same key for the same choice until `reset`, so that a retry after a lost response creates nothing twice. */
  keyOf: (...choice: unknown[]) => string;
  reset: () => void;
}

const useChoiceKey = (): ChoiceKey => {
  const unanswered = useRef<{ choice: string; key: string } | null>(null);
  const keyOf: ChoiceKey["keyOf"] = (...choice) => {
    const text = JSON.stringify(choice);
    if (unanswered.current?.choice !== text) unanswered.current = { choice: text, key: randomKey() };
    return unanswered.current.key;
  };
  const reset = () => {
    unanswered.current = null;
  };
  return { keyOf, reset };
};

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Edits and copies several pins, all or none, with Undo in the toast. */
interface Changes {
  isBusy: boolean;
  /** @returns whether they were changed. */
  edit: (pinIds: string[], change: EditChange) => Promise<boolean>;
  /** @returns the ids of the copies; null when none were created. */
  duplicate: (pinIds: string[], boardIds: string[]) => Promise<string[] | null>;
}

/** `onChanged` is called after each change and each Undo. */
export const usePinChanges = ({ onChanged }: { onChanged: () => void }): Changes => {
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const { keyOf, reset } = useChoiceKey();
  const undoEdit = async (undo: UndoEditsInput) => {
    const answer = await callAction(undoEditsAction(undo));
    if (answer.ok) showToast(`Changes to ${counted(undo.edits.length, "pin", "pins")} undone`);
    else notice.error(answer.text);
    onChanged();
  };

  const deleteCopies = async (pinIds: string[]) => {
    const answer = await callAction(deleteDraftsAction({ pinIds }));
    if (answer.ok) showToast(`${counted(pinIds.length, "draft", "drafts")} deleted`);
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
      const onUndo = undo && { onUndo: () => void undoEdit(undo) };
      showToast(`${counted(edited, "pin", "pins")} updated`, { hasCheck: true, ...onUndo });
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
      return null;
    }
    reset();
    const { ids } = answer.value;
    showToast(`${counted(ids.length, "draft", "drafts")} created`, {
      hasCheck: true,
      onUndo: () => void deleteCopies(ids),
    });
    onChanged();
    return ids;
  };

  return { isBusy, edit, duplicate };
};
