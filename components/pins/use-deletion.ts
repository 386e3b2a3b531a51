"use client";

import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { deleteDraftsAction, restoreDraftsAction } from "#lib/features/pins/actions.ts";

export interface Deletion {
  isDeleting: boolean;
  /** Deletes these drafts or failed pins, all or none, and offers to bring them back. @returns whether they are gone. */
  remove: (pinIds: readonly string[]) => Promise<boolean>;
}

/** Deletes pins with an Undo in the toast. `onChanged` is called after both. */
export const useDeletion = ({ onChanged }: { onChanged: () => void }): Deletion => {
  const notice = useNotice();
  const [isDeleting, setDeleting] = useState(false);

  const bringBack = async (pinIds: string[]) => {
    const answer = await callAction(restoreDraftsAction({ pinIds }));
    if (answer.ok) showToast(pinIds.length === 1 ? "Pin is back" : `${pinIds.length} pins are back`);
    else notice.error(answer.text);
    onChanged();
  };

  const remove = async (pinIds: readonly string[]): Promise<boolean> => {
    if (isDeleting) return false;
    const ids = [...pinIds];
    setDeleting(true);
    const answer = await callAction(deleteDraftsAction({ pinIds: ids }));
    setDeleting(false);
    const done = ids.length === 1 ? "Pin deleted" : `${ids.length} pins deleted`;
    if (answer.ok) showToast(done, { hasCheck: true, onUndo: () => void bringBack(ids) });
    else notice.error(answer.text);
    onChanged();
    return answer.ok;
  };

  return { isDeleting, remove };
};
