"use client";

import { useEffect, useRef, useState } from "react";
import type { BulkForm, RowPicture } from "#components/pins/bulk/bulk-rows.ts";
import { inspectFile } from "#components/pins/bulk/inspect-file.ts";
import { formOf, isWorthKeeping, type KeptDraft, readKept, writeDraft } from "#components/pins/bulk/kept-draft.ts";
import { forgetDraft, keepDraft, keepOnly, keepPicture, readDraft, readPictures } from "#lib/client/bulk-draft.ts";
import { getToken } from "#lib/client/stored-token.ts";

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
export const useKeptForm = ({ form, accountId, userId, onRestore, onPictures }: KeptFormOptions): number => {
  const [isReady, setReady] = useState(false);
  const [lost, setLost] = useState(0);
  const restore = useRef({ onRestore, onPictures });
  restore.current = { onRestore, onPictures };

  useEffect(() => {
    let isGone = false;
    const kept = readKept(readDraft(), userId);
    const begin = async () => {
      if (!kept) await forgetDraft();
      else {
        restore.current.onRestore(formOf(kept), kept.accountId);
        const found = await readKeptPictures(kept);
        if (isGone) return;
        restore.current.onPictures(withKept(found.pictures));
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
