"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import {
  type BulkForm,
  type BulkRow,
  emptyForm,
  type RowPicture,
  type RowText,
  shownRows,
  withBoard,
  withCount,
  withFilledDown,
  withLockTurned,
  withoutBoards,
  withoutRow,
  withPicture,
  withPictures,
  withRowBack,
  withText,
} from "#components/pins/bulk/bulk-rows.ts";
import { inspectFile } from "#components/pins/bulk/inspect-file.ts";
import { useKeptForm } from "#components/pins/bulk/use-kept-form.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { forgetDraft } from "#lib/client/bulk-draft.ts";

/** The form of pins made by hand, and all that can be done to it. */
export interface BulkFormState {
  form: BulkForm;
  accountId: string | null;
  setAccountId: (id: string) => void;
  setCount: (count: number) => void;
  setText: (key: string, part: RowText, text: string) => void;
  setBoard: (key: string, boardId: string | null) => void;
  turnLock: (key: string) => void;
  fillDown: (key: string, part: RowText) => void;
  remove: (row: BulkRow) => void;
  /** Images for the rows that have none; with a key the first of them is that row's. */
  addFiles: (files: readonly File[], key?: string) => Promise<void>;
  /** Back to one empty row; what was kept of this one is forgotten. */
  clear: () => void;
  /** Images that an earlier visit chose and this browser could not keep. */
  lostPictures: number;
}

type Owner = { userId: string; accounts: readonly AccountOption[] };

/** Previews are freed when their page is left; while it is there an undo may bring any of them back. */
const useFreedPreviews = (form: BulkForm): void => {
  const previews = useRef(new Set<string>());
  for (const { picture } of form.rows) if (picture) previews.current.add(picture.preview);
  useEffect(() => {
    const made = previews.current;
    return () => {
      for (const preview of made) URL.revokeObjectURL(preview);
    };
  }, []);
};

type SetForm = (change: (before: BulkForm) => BulkForm) => void;

/** The changes that only concern the rows. */
const changesOf = (
  setForm: SetForm,
): Pick<BulkFormState, "setCount" | "setText" | "setBoard" | "turnLock" | "fillDown"> => ({
  setCount: (count) => setForm((before) => withCount(before, count)),
  setText: (key, part, text) => setForm((before) => withText(before, key, part, text)),
  setBoard: (key, boardId) => setForm((before) => withBoard(before, key, boardId)),
  turnLock: (key) => setForm((before) => withLockTurned(before, key)),
  fillDown: (key, part) => setForm((before) => withFilledDown(before, key, part)),
});

const withFiles =
  (pictures: readonly RowPicture[], key: string | undefined) =>
  (before: BulkForm): BulkForm => {
    const [first, ...others] = pictures;
    if (key === undefined || !first) return withPictures(before, pictures);
    const own = withPicture(before, key, first);
    return others.length > 0 ? withPictures(own, others) : own;
  };

/** Rows in step with the number, boards in step with each other, and a draft that survives a reload. */
export const useBulkForm = ({ userId, accounts }: Owner): BulkFormState => {
  const [form, setForm] = useState<BulkForm>(emptyForm);
  const [accountId, setAccount] = useState(accounts[0]?.id ?? null);
  useFreedPreviews(form);

  const restore = useCallback(
    (kept: BulkForm, keptAccountId: string | null) => {
      setForm(kept);
      if (keptAccountId !== null && accounts.some(({ id }) => id === keptAccountId)) setAccount(keptAccountId);
    },
    [accounts],
  );
  const lostPictures = useKeptForm({ form, accountId, userId, onRestore: restore, onPictures: setForm });

  const remove = (row: BulkRow) => {
    const at = shownRows(form).indexOf(row);
    setForm((before) => withoutRow(before, row.key));
    if (row.title || row.description || row.picture) {
      showToast(`Pin ${at + 1} removed`, { onUndo: () => setForm((before) => withRowBack(before, row, at)) });
    }
  };

  return {
    form,
    accountId,
    lostPictures,
    remove,
    ...changesOf(setForm),
    addFiles: async (files, key) => {
      const pictures = await Promise.all(files.map(inspectFile));
      setForm(withFiles(pictures, key));
    },
    setAccountId: (id) => {
      setAccount(id || null);
      setForm(withoutBoards);
    },
    clear: () => {
      setForm(emptyForm());
      void forgetDraft();
    },
  };
};
