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
import type { EditsSent } from "./edit-choice.ts";

/** The keys under which choices are sent. */
interface ChoiceKey {
  /** The same choice has the same key until it was answered: the answer may have been lost, and nothing is made twice. */
  keyOf: (...choice: unknown[]) => string;
  /** From now on the same choice is a new one. */
  forget: () => void;
}

/** An idempotency key for each choice that is sent, until `forget`. */
const useChoiceKey = (): ChoiceKey => {
  const unanswered = useRef<{ choice: string; key: string } | null>(null);
  const keyOf: ChoiceKey["keyOf"] = (...choice) => {
    const text = JSON.stringify(choice);
    if (unanswered.current?.choice !== text) unanswered.current = { choice: text, key: randomKey() };
    return unanswered.current.key;
  };
  const forget = () => {
    unanswered.current = null;
  };
  return { keyOf, forget };
};

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Changes and copies of several pins, all or none, each with an Undo in its toast. */
interface Changes {
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
