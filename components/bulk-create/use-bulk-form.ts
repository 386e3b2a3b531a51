"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { getToken } from "#lib/client/browser-storage.ts";
import {
  deleteBulkDraft,
  deleteOtherImages,
  readBulkDraft,
  readImages,
  saveBulkDraft,
  saveImage,
} from "#lib/client/bulk-draft.ts";
import {
  type BulkForm,
  type BulkRow,
  emptyForm,
  type PlaceChoice,
  type RowImage,
  type RowText,
  shownRows,
  withCount,
  withFilledDown,
  withImage,
  withImages,
  withLockToggled,
  withoutBoards,
  withoutRow,
  withPlace,
  withRowBack,
  withText,
} from "./bulk-rows.ts";
import { hasContent, inspectFile, parseDraft, type SavedDraft, serializeDraft, toForm } from "./saved-draft.ts";

const AUTOSAVE_DELAY_MS = 250;

type Change = (before: BulkForm) => BulkForm;

type SavedFormOptions = {
  form: BulkForm;
  accountId: string | null;
  userId: string;
  onRestore: (form: BulkForm, accountId: string | null) => void;
  onImages: (change: Change) => void;
};

const withSavedImages =
  (images: ReadonlyMap<string, RowImage>): Change =>
  (before) => ({
    ...before,
    rows: before.rows.map((row) => (row.image ? row : { ...row, image: images.get(row.key) ?? null })),
  });

/** The saved images of a draft, and how many are missing. */
const readSavedImages = async (saved: SavedDraft): Promise<{ images: Map<string, RowImage>; missing: number }> => {
  const files = await readImages();
  const named = saved.rows.filter((row) => row.pictureName !== null);
  const images = new Map<string, RowImage>();
  for (const { key } of named) {
    const file = files.get(key);
    if (file) images.set(key, await inspectFile(file));
  }
  return { images, missing: named.length - images.size };
};

/** Saves nothing after a logout, also not from a pending timer. */
const saveWhileSignedIn = (text: string | null): void => {
  if (getToken() !== null) saveBulkDraft(text);
};

/** Saves the texts after each pause in typing, and when the page is left. */
const useAutosave = (text: string | null, isReady: boolean): void => {
  const latest = useRef<{ text: string | null } | null>(null);
  useEffect(() => {
    if (isReady) latest.current = { text };
  }, [text, isReady]);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => saveWhileSignedIn(text), AUTOSAVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, isReady]);
  useEffect(() => {
    const save = () => {
      if (latest.current !== null) saveWhileSignedIn(latest.current.text);
    };
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      // Client-side navigation unmounts the form without a pagehide event.
      save();
    };
  }, []);
};

const NOTHING_SAVED: ReadonlyMap<string, File> = new Map();

/** Saves new images and deletes those of removed rows. */
const useImageAutosave = (form: BulkForm, isReady: boolean): void => {
  const saved = useRef(NOTHING_SAVED);
  useEffect(() => {
    if (!isReady) return;
    const now = new Map(form.rows.flatMap(({ key, image }) => (image ? [[key, image.file] as const] : [])));
    for (const [key, file] of now) if (saved.current.get(key) !== file) void saveImage(key, file);
    const isFirst = saved.current === NOTHING_SAVED;
    if (isFirst || [...saved.current.keys()].some((key) => !now.has(key))) void deleteOtherImages(new Set(now.keys()));
    saved.current = now;
  }, [form.rows, isReady]);
};

/**
 * Saves texts and images in this browser until they are sent or the user logs out, and restores them.
 * @returns how many images of an earlier visit are missing
 */
const useSavedForm = ({ form, accountId, userId, onRestore, onImages }: SavedFormOptions): number => {
  const [isReady, setReady] = useState(false);
  const [missing, setMissing] = useState(0);
  const restoreForm = useEffectEvent(onRestore);
  const restoreImages = useEffectEvent(onImages);

  useEffect(() => {
    let isGone = false;
    const saved = parseDraft(readBulkDraft(), userId);
    const begin = async () => {
      if (!saved) await deleteBulkDraft();
      else {
        restoreForm(toForm(saved), saved.accountId);
        const found = await readSavedImages(saved);
        if (isGone) return;
        restoreImages(withSavedImages(found.images));
        setMissing(found.missing);
      }
      if (!isGone) setReady(true);
    };
    void begin();
    return () => {
      isGone = true;
    };
  }, [userId]);

  useAutosave(hasContent(form) ? serializeDraft(form, { userId, accountId }) : null, isReady);
  useImageAutosave(form, isReady);
  return missing;
};

export interface BulkFormState {
  form: BulkForm;
  accountId: string | null;
  setAccountId: (id: string) => void;
  setCount: (count: number) => void;
  setText: (key: string, part: RowText, text: string) => void;
  setPlace: (key: string, place: PlaceChoice) => void;
  /** Changes the place of all locked rows. */
  setSharedPlace: (place: Partial<PlaceChoice>) => void;
  toggleLock: (key: string) => void;
  fillDown: (key: string, part: RowText) => void;
  remove: (row: BulkRow) => void;
  /** Adds images to rows without one; with a key, the first goes to that row. */
  addFiles: (files: readonly File[], key?: string) => Promise<void>;
  /** Resets to one empty row and deletes the saved draft. */
  clear: () => void;
  /** Images of an earlier visit that the browser could not save. */
  missingImages: number;
}

type Owner = { userId: string; accounts: readonly AccountOption[] };

/** Revokes previews only when the page is left, because an undo may restore any row. */
const useFreedPreviews = (form: BulkForm): void => {
  const previews = useRef(new Set<string>());
  for (const { image } of form.rows) if (image) previews.current.add(image.preview);
  useEffect(() => {
    const urls = previews.current;
    return () => {
      for (const preview of urls) URL.revokeObjectURL(preview);
    };
  }, []);
};

type SetForm = (change: (before: BulkForm) => BulkForm) => void;

const changesOf = (
  setForm: SetForm,
): Pick<BulkFormState, "setCount" | "setText" | "setPlace" | "setSharedPlace" | "toggleLock" | "fillDown"> => ({
  setCount: (count) => setForm((before) => withCount(before, count)),
  setText: (key, part, text) => setForm((before) => withText(before, key, part, text)),
  setPlace: (key, place) => setForm((before) => withPlace(before, key, place)),
  setSharedPlace: (place) => setForm((before) => ({ ...before, ...place })),
  toggleLock: (key) => setForm((before) => withLockToggled(before, key)),
  fillDown: (key, part) => setForm((before) => withFilledDown(before, key, part)),
});

const withFiles =
  (images: readonly RowImage[], key: string | undefined) =>
  (before: BulkForm): BulkForm => {
    const [first, ...others] = images;
    if (key === undefined || !first) return withImages(before, images);
    const own = withImage(before, key, first);
    return others.length > 0 ? withImages(own, others) : own;
  };

/** State of the form, with a draft that survives a reload. */
export const useBulkForm = ({ userId, accounts }: Owner): BulkFormState => {
  const [form, setForm] = useState<BulkForm>(emptyForm);
  const [accountId, setAccount] = useState(accounts[0]?.id ?? null);
  useFreedPreviews(form);

  const restore = useCallback(
    (saved: BulkForm, savedAccountId: string | null) => {
      setForm(saved);
      if (savedAccountId !== null && accounts.some(({ id }) => id === savedAccountId)) setAccount(savedAccountId);
    },
    [accounts],
  );
  const missingImages = useSavedForm({ form, accountId, userId, onRestore: restore, onImages: setForm });

  const remove = (row: BulkRow) => {
    const at = shownRows(form).indexOf(row);
    setForm((before) => withoutRow(before, row.key));
    if (row.title || row.description || row.image) {
      showToast(`Pin ${at + 1} removed`, { onUndo: () => setForm((before) => withRowBack(before, row, at)) });
    }
  };

  return {
    form,
    accountId,
    missingImages,
    remove,
    ...changesOf(setForm),
    addFiles: async (files, key) => {
      const images = await Promise.all(files.map(inspectFile));
      setForm(withFiles(images, key));
    },
    setAccountId: (id) => {
      setAccount(id || null);
      setForm(withoutBoards);
    },
    clear: () => {
      setForm(emptyForm());
      void deleteBulkDraft();
    },
  };
};
