"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { getToken } from "#lib/client/browser-storage.ts";
import { forgetDraft, keepDraft, keepOnly, keepPicture, readDraft, readPictures } from "#lib/client/bulk-draft.ts";
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
} from "./bulk-rows.ts";
import { formOf, inspectFile, isWorthKeeping, type KeptDraft, readKept, writeDraft } from "./kept-draft.ts";

/** Typing is kept when it rests, and when the page goes. */
const KEEP_AFTER_MS = 250;

type Change = (before: BulkForm) => BulkForm;

type KeptFormOptions = {
  form: BulkForm;
  accountId: string | null;
  userId: string;
  onRestore: (form: BulkForm, accountId: string | null) => void;
  onPictures: (change: Change) => void;
};

const withKept =
  (pictures: ReadonlyMap<string, RowPicture>): Change =>
  (before) => ({
    ...before,
    rows: before.rows.map((row) => (row.picture ? row : { ...row, picture: pictures.get(row.key) ?? null })),
  });

/** The kept images of a draft, and how many of its rows had one that is gone. */
const readKeptPictures = async (kept: KeptDraft): Promise<{ pictures: Map<string, RowPicture>; lost: number }> => {
  const files = await readPictures();
  const named = kept.rows.filter(({ pictureName }) => pictureName !== null);
  const pictures = new Map<string, RowPicture>();
  for (const { key } of named) {
    const file = files.get(key);
    if (file) pictures.set(key, await inspectFile(file));
  }
  return { pictures, lost: named.length - pictures.size };
};

/** Whoever logged out leaves nothing behind: not what was to be written a moment later either. */
const keepWhileIn = (text: string | null): void => {
  if (getToken() !== null) keepDraft(text);
};

/** Writes the texts after each pause, and at the last moment. */
const useKeeping = (text: string | null, isReady: boolean): void => {
  const latest = useRef<{ text: string | null } | null>(null);
  useEffect(() => {
    if (isReady) latest.current = { text };
  }, [text, isReady]);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => keepWhileIn(text), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, isReady]);
  useEffect(() => {
    const keep = () => {
      if (latest.current !== null) keepWhileIn(latest.current.text);
    };
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      // Left by a link of ours: the page stays, the form goes.
      keep();
    };
  }, []);
};

const NOTHING_KEPT: ReadonlyMap<string, File> = new Map();

/** Keeps images that are new, forgets those whose rows went. */
const useKeepingPictures = (form: BulkForm, isReady: boolean): void => {
  const kept = useRef(NOTHING_KEPT);
  useEffect(() => {
    if (!isReady) return;
    const now = new Map(form.rows.flatMap(({ key, picture }) => (picture ? [[key, picture.file] as const] : [])));
    for (const [key, file] of now) if (kept.current.get(key) !== file) void keepPicture(key, file);
    const isFirst = kept.current === NOTHING_KEPT;
    if (isFirst || [...kept.current.keys()].some((key) => !now.has(key))) void keepOnly(new Set(now.keys()));
    kept.current = now;
  }, [form.rows, isReady]);
};

/**
 * The form survives a reload: texts and images are kept in this browser until they are sent or somebody logs out.
 * @returns how many images of an earlier visit could not be kept.
 */
const useKeptForm = ({ form, accountId, userId, onRestore, onPictures }: KeptFormOptions): number => {
  const [isReady, setReady] = useState(false);
  const [lost, setLost] = useState(0);
  const restoreForm = useEffectEvent(onRestore);
  const restorePictures = useEffectEvent(onPictures);

  useEffect(() => {
    let isGone = false;
    const kept = readKept(readDraft(), userId);
    const begin = async () => {
      if (!kept) await forgetDraft();
      else {
        restoreForm(formOf(kept), kept.accountId);
        const found = await readKeptPictures(kept);
        if (isGone) return;
        restorePictures(withKept(found.pictures));
        setLost(found.lost);
      }
      if (!isGone) setReady(true);
    };
    void begin();
    return () => {
      isGone = true;
    };
  }, [userId]);

  useKeeping(isWorthKeeping(form) ? writeDraft(form, { userId, accountId }) : null, isReady);
  useKeepingPictures(form, isReady);
  return lost;
};

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
