"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, callAction } from "#lib/client/api.ts";
import { upload } from "#lib/client/files.ts";
import { randomKey } from "#lib/client/random-key.ts";
import { findSavedUploadsAction } from "#lib/features/pins/actions.ts";
import { IDEMPOTENCY_HEADER, TEXTS } from "#lib/features/pins/constants.ts";
import type { BulkWire } from "#lib/features/pins/schema.ts";
import {
  type BulkForm,
  checkRows,
  failureText,
  fieldTexts,
  type Interruption,
  type RowProblems,
  remainingProblems,
  type SavedFiles,
  savedFilesIn,
  sentPercents,
  shownRows,
  toFormData,
} from "./bulk-rows.ts";

const hexOf = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const NONE: SavedFiles = new Map();

/** Hashes files one by one, because each is in memory as a whole. */
const digestsOf = async (savedFiles: readonly File[], signal: AbortSignal): Promise<Map<File, string>> => {
  const digests = new Map<File, string>();
  for (const file of savedFiles) {
    signal.throwIfAborted();
    digests.set(file, hexOf(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
  }
  return digests;
};

/** The digests of images that the server has saved. Empty on failure, so that all files are sent. */
const findSavedDigests = async (savedFiles: ReadonlyMap<File, string>): Promise<ReadonlySet<string>> => {
  if (savedFiles.size === 0) return new Set();
  const answer = await callAction(findSavedUploadsAction({ digests: [...savedFiles.values()] }));
  return new Set(answer.ok ? answer.value : []);
};

interface SavedFilesTracker {
  /** Whether the browser can compute digests (only over TLS). */
  canHash: boolean;
  /** The saved images of a form with their SHA-256. Rejects with the signal's reason. */
  read: (form: BulkForm, signal: AbortSignal) => Promise<SavedFiles>;
  /** Remembers which images a rejection names as saved; the others must be sent again. */
  recordRejection: (error: ApiError, form: BulkForm) => void;
  /** Remembers images that were fully sent before an interruption, by row key. */
  recordSent: (keys: ReadonlySet<string>, form: BulkForm) => void;
}

/**
 * Tracks which images the server has saved, so that the next try sends only the others. A rejection names them; after an
 * interruption the server is asked. Without TLS there are no digests, so all images are sent again.
 */
const useSavedFiles = (): SavedFilesTracker => {
  const savedFiles = useRef<ReadonlySet<File>>(new Set());
  const sentFiles = useRef<ReadonlySet<File>>(new Set());
  const canHash = Boolean(globalThis.crypto.subtle);
  return {
    canHash,
    read: async (form, signal) => {
      const formFiles = shownRows(form).flatMap(({ image }) => (image ? [image.file] : []));
      const saved = formFiles.filter((file) => savedFiles.current.has(file));
      const maybeSaved = formFiles.filter((file) => sentFiles.current.has(file) && !savedFiles.current.has(file));
      if (saved.length + maybeSaved.length === 0 || !canHash) return NONE;
      const candidates = await digestsOf(maybeSaved, signal);
      const found = await findSavedDigests(candidates);
      const known = [...candidates].filter(([, digest]) => found.has(digest));
      return new Map([...(await digestsOf(saved, signal)), ...known]);
    },
    recordRejection: ({ body }, form) => {
      const saved = savedFilesIn(body, form);
      // Most failures do not mention saved images.
      if (saved) savedFiles.current = new Set(saved);
    },
    recordSent: (keys, form) => {
      const complete = shownRows(form).flatMap(({ key, image }) => (image && keys.has(key) ? [image.file] : []));
      sentFiles.current = new Set([...sentFiles.current, ...complete]);
    },
  };
};

const PATH = "/api/users/pinterest/create-bulk/";

export interface BulkSending {
  isSending: boolean;
  /** Upload progress by row key; empty while not sending. */
  percents: ReadonlyMap<string, number>;
  /** Null when the last try succeeded or only rows have problems. */
  problem: string | null;
  problems: ReadonlyMap<string, RowProblems>;
  /** Counts rejections, so that each one moves the focus to its problem. */
  rejections: number;
  created: BulkWire | null;
  /** Set when the last try got no response and the form has not changed since. */
  interruption: Interruption | null;
  send: (form: BulkForm, accountId: string | null) => Promise<void>;
  stop: () => void;
}

/** `rejectedForm`: the form at the time of the rejection. */
type Outcome = Pick<BulkSending, "problem" | "problems" | "rejections" | "created" | "interruption"> & {
  rejectedForm: BulkForm | null;
};

const NO_PERCENTS: ReadonlyMap<string, number> = new Map();
const NO_PROBLEMS: ReadonlyMap<string, RowProblems> = new Map();

const fullySent = (percents: ReadonlyMap<string, number>): Set<string> =>
  new Set([...percents].flatMap(([key, percent]) => (percent === 100 ? [key] : [])));

/** An unchanged form keeps its idempotency key, so that a retry creates nothing twice. */
const useSubmissionKey = (): ((form: BulkForm) => string) => {
  const last = useRef<{ form: BulkForm; key: string } | null>(null);
  return (form) => {
    if (last.current?.form !== form) last.current = { form, key: randomKey() };
    return last.current.key;
  };
};

type Transfer = {
  accountId: string;
  key: string;
  saved: SavedFilesTracker;
  signal: AbortSignal;
  onPercents: (all: ReadonlyMap<string, number>) => void;
  /** Updates the interruption from its previous value. */
  onInterrupted: (next: (before: Interruption | null) => Interruption | null) => void;
};

/** Whether a try ended without a response: stopped by the user or disconnected. */
const isInterrupted = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || (error instanceof ApiError && error.status === 0);

/** Stops waiting for work that cannot be aborted. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Finds the images to skip. If aborted here, an earlier interruption of the same form stays. */
const readSavedFiles = async (form: BulkForm, { saved, signal, onInterrupted }: Transfer): Promise<SavedFiles> => {
  try {
    return await unlessAborted(saved.read(form, signal), signal);
  } catch (error) {
    const stopped = { form, isByUser: true, sent: null, canSkip: saved.canHash };
    if (signal.aborted) onInterrupted((before) => (before?.form === form ? before : stopped));
    throw error;
  }
};

/**
 * Sends the form and reports progress. After an interruption, remembers which images were fully sent.
 * @throws ApiError
 */
const transfer = async (form: BulkForm, options: Transfer): Promise<BulkWire> => {
  const { accountId, key, signal, onPercents } = options;
  onPercents(new Map());
  const saved = await readSavedFiles(form, options);
  const rows = shownRows(form);
  const sizes = rows.map(({ image }) => (image && !saved.has(image.file) ? image.file.size : 0));
  let percents = NO_PERCENTS;
  const report = (bytes: number) => {
    const sent = sentPercents(sizes, bytes);
    percents = new Map(rows.map((row, at) => [row.key, sent[at] ?? 0]));
    onPercents(percents);
  };
  report(0);
  options.onInterrupted(() => null);
  const headers = { [IDEMPOTENCY_HEADER]: key };
  try {
    return await upload<BulkWire>(PATH, toFormData(form, accountId, saved), { headers, onSent: report, signal });
  } catch (error) {
    const complete = fullySent(percents);
    options.saved.recordSent(complete, form);
    const sent = { complete: complete.size, total: rows.length };
    if (isInterrupted(error, signal)) {
      const { canHash: canSkip } = options.saved;
      options.onInterrupted(() => ({ form, isByUser: signal.aborted, sent, canSkip }));
    }
    throw error;
  }
};

const NO_OUTCOME: Outcome = {
  problem: null,
  problems: NO_PROBLEMS,
  rejections: 0,
  created: null,
  interruption: null,
  rejectedForm: null,
};

/** The outcome of the last try, without problems that have been fixed since. */
const useOutcome = (shown: BulkForm) => {
  const [outcome, setOutcome] = useState(NO_OUTCOME);
  const { rejectedForm, problems, interruption, ...others } = outcome;
  const remaining = useMemo(
    () => (rejectedForm ? remainingProblems(problems, rejectedForm, shown) : problems),
    [problems, rejectedForm, shown],
  );
  const setInterruption: Transfer["onInterrupted"] = (next) =>
    setOutcome((before) => ({ ...before, interruption: next(before.interruption) }));
  const showProblems = (form: BulkForm, problem: string | null, rowProblems: ReadonlyMap<string, RowProblems>) =>
    setOutcome(({ rejections, interruption: earlier }) => ({
      ...NO_OUTCOME,
      problem,
      problems: rowProblems,
      rejections: rejections + 1,
      interruption: earlier,
      rejectedForm: form,
    }));
  const shownInterruption = interruption?.form === shown ? interruption : null;
  return {
    outcome: { ...others, problems: remaining, interruption: shownInterruption },
    setOutcome,
    setInterruption,
    showProblems,
  };
};

/** The running upload, aborted when the screen closes. */
const useSending = () => {
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);
  return sending;
};

/** `shown` is the current form; `onCreated` is called when the drafts exist. */
export const useBulkSend = (shown: BulkForm, onCreated: () => void): BulkSending => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [percents, setPercents] = useState<ReadonlyMap<string, number> | null>(null);
  const { outcome, setOutcome, setInterruption, showProblems } = useOutcome(shown);
  const sending = useSending();
  const keyOf = useSubmissionKey();
  const saved = useSavedFiles();

  const fail = (error: unknown, form: BulkForm) => {
    if (!(error instanceof ApiError)) throw error;
    if (isSessionFailure(error)) return;
    saved.recordRejection(error, form);
    showProblems(form, failureText(error.body), fieldTexts(error.body, form));
  };

  const send = async (form: BulkForm, accountId: string | null) => {
    if (sending.current) return;
    const missing = checkRows(form);
    if (accountId === null) return showProblems(form, TEXTS.accountNeeded, missing);
    if (missing.size > 0) return showProblems(form, null, missing);
    const controller = new AbortController();
    sending.current = controller;
    setOutcome(({ rejections, interruption }) => ({ ...NO_OUTCOME, rejections, interruption }));
    try {
      const { signal } = controller;
      const options = {
        accountId,
        key: keyOf(form),
        saved,
        signal,
        onPercents: setPercents,
        onInterrupted: setInterruption,
      };
      const created = await transfer(form, options);
      notice.success(created.message);
      setOutcome({ ...NO_OUTCOME, created });
      onCreated();
    } catch (error) {
      if (!controller.signal.aborted) fail(error, form);
    } finally {
      sending.current = null;
      setPercents(null);
    }
  };

  return {
    ...outcome,
    isSending: percents !== null,
    percents: percents ?? NO_PERCENTS,
    send,
    stop: () => sending.current?.abort(new DOMException("Stopped", "AbortError")),
  };
};
