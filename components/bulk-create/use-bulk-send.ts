"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, callAction } from "#lib/client/api.ts";
import { upload } from "#lib/client/files.ts";
import { randomKey } from "#lib/client/random-key.ts";
import { findKeptAction } from "#lib/features/pins/actions.ts";
import { IDEMPOTENCY_HEADER, TEXTS } from "#lib/features/pins/constants.ts";
import type { BulkWire } from "#lib/features/pins/schema.ts";
import {
  type BrokenOff,
  type BulkForm,
  checkRows,
  failureText,
  fieldTexts,
  type KeptFiles,
  keptIn,
  problemsLeft,
  type RowProblems,
  sentPercents,
  shownRows,
  toFormData,
} from "./bulk-rows.ts";

const hexOf = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const NONE: KeptFiles = new Map();

/** The digests of files, one after the other: each is in memory as a whole. */
const digestsOf = async (files: readonly File[], signal: AbortSignal): Promise<Map<File, string>> => {
  const digests = new Map<File, string>();
  for (const file of files) {
    signal.throwIfAborted();
    digests.set(file, hexOf(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
  }
  return digests;
};

/** Those of them that the server has. Without an answer none is taken to be there: all are sent. */
const askFor = async (files: ReadonlyMap<File, string>): Promise<ReadonlySet<string>> => {
  if (files.size === 0) return new Set();
  const answer = await callAction(findKeptAction({ digests: [...files.values()] }));
  return new Set(answer.ok ? answer.value : []);
};

/** What is known of images that need not be sent again. */
interface KeptFilesOf {
  /** Whether this page can tell which images are kept. */
  canTell: boolean;
  /** The kept ones among the images of a form, with their SHA-256. Rejects with the signal's reason. */
  read: (form: BulkForm, signal: AbortSignal) => Promise<KeptFiles>;
  /** Takes in what a failure says of kept images, if it does: then whatever it does not call kept is to be sent. */
  learn: (error: ApiError, form: BulkForm) => void;
  /** Takes in which rows' images, by their keys, had gone whole when sending broke off. */
  learnGone: (keys: ReadonlySet<string>, form: BulkForm) => void;
}

/**
 * Remembers which images of a form the server may keep, so that the next try sends only the others: it says so with a
 * refusal, and is asked about those that had gone when an upload broke off. A page without TLS has no digests of the
 * browser: it sends all of them again.
 */
const useKeptFiles = (): KeptFilesOf => {
  const files = useRef<ReadonlySet<File>>(new Set());
  const gone = useRef<ReadonlySet<File>>(new Set());
  const canTell = Boolean(globalThis.crypto.subtle);
  return {
    canTell,
    read: async (form, signal) => {
      const own = shownRows(form).flatMap(({ picture }) => (picture ? [picture.file] : []));
      const kept = own.filter((file) => files.current.has(file));
      const perhaps = own.filter((file) => gone.current.has(file) && !files.current.has(file));
      if (kept.length + perhaps.length === 0 || !canTell) return NONE;
      const asked = await digestsOf(perhaps, signal);
      const found = await askFor(asked);
      const known = [...asked].filter(([, digest]) => found.has(digest));
      return new Map([...(await digestsOf(kept, signal)), ...known]);
    },
    learn: ({ body }, form) => {
      const kept = keptIn(body, form);
      // Most failures say nothing about it.
      if (kept) files.current = new Set(kept);
    },
    learnGone: (keys, form) => {
      const whole = shownRows(form).flatMap(({ key, picture }) => (picture && keys.has(key) ? [picture.file] : []));
      gone.current = new Set([...gone.current, ...whole]);
    },
  };
};

const PATH = "/api/users/pinterest/create-bulk/";

/** Sending the form, and what came of it. */
export interface BulkSending {
  isSending: boolean;
  /** How much of each row's image is sent, by the rows' keys; empty while nothing is being sent. */
  percents: ReadonlyMap<string, number>;
  /** R-BULK-10; null when the last try went well, or only rows are to blame. */
  problem: string | null;
  problems: ReadonlyMap<string, RowProblems>;
  /** Counts refusals, so that each one leads to what is wrong. */
  refusals: number;
  created: BulkWire | null;
  /** How the last try ended, if it had no answer and the form is still the same; else null. */
  brokenOff: BrokenOff | null;
  send: (form: BulkForm, accountId: string | null) => Promise<void>;
  /** Breaks off what is being sent. */
  stop: () => void;
}

/** `refused`: the form as it was when it was found wanting. */
type Outcome = Pick<BulkSending, "problem" | "problems" | "refusals" | "created" | "brokenOff"> & {
  refused: BulkForm | null;
};

const NO_PERCENTS: ReadonlyMap<string, number> = new Map();
const NO_PROBLEMS: ReadonlyMap<string, RowProblems> = new Map();

const wholeIn = (percents: ReadonlyMap<string, number>): Set<string> =>
  new Set([...percents].flatMap(([key, percent]) => (percent === 100 ? [key] : [])));

/** A set that is sent again unchanged keeps its key, so that it is not made twice. */
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
  kept: KeptFilesOf;
  signal: AbortSignal;
  onPercents: (all: ReadonlyMap<string, number>) => void;
  /** What is known of a try that broke off is replaced by this, which may tell from what it was. */
  onBrokenOff: (next: (before: BrokenOff | null) => BrokenOff | null) => void;
};

/** Whether a try ended before there was any answer: by its user's word, or with the line. */
const isBrokenOff = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || (error instanceof ApiError && error.status === 0);

/** Work that cannot be aborted is not waited for once the signal says so. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** What need not be sent. Broken off here, an earlier try of the same form still says how far it came. */
const readKept = async (form: BulkForm, { kept, signal, onBrokenOff }: Transfer): Promise<KeptFiles> => {
  try {
    return await unlessAborted(kept.read(form, signal), signal);
  } catch (error) {
    const own = { form, isByUser: true, sent: null, canSkip: kept.canTell };
    if (signal.aborted) onBrokenOff((before) => (before?.form === form ? before : own));
    throw error;
  }
};

/**
 * Sends the form, telling how much of each row's image has gone; should it break off, those that had gone whole are
 * asked for before the next try. @throws ApiError
 */
const transfer = async (form: BulkForm, options: Transfer): Promise<BulkWire> => {
  const { accountId, key, signal, onPercents } = options;
  onPercents(new Map());
  const kept = await readKept(form, options);
  const rows = shownRows(form);
  const sizes = rows.map(({ picture }) => (picture && !kept.has(picture.file) ? picture.file.size : 0));
  let percents = NO_PERCENTS;
  const tell = (bytes: number) => {
    const sent = sentPercents(sizes, bytes);
    percents = new Map(rows.map((row, at) => [row.key, sent[at] ?? 0]));
    onPercents(percents);
  };
  tell(0);
  options.onBrokenOff(() => null);
  const headers = { [IDEMPOTENCY_HEADER]: key };
  try {
    return await upload<BulkWire>(PATH, toFormData(form, accountId, kept), { headers, onSent: tell, signal });
  } catch (error) {
    const whole = wholeIn(percents);
    options.kept.learnGone(whole, form);
    const sent = { whole: whole.size, all: rows.length };
    if (isBrokenOff(error, signal)) {
      const { canTell: canSkip } = options.kept;
      options.onBrokenOff(() => ({ form, isByUser: signal.aborted, sent, canSkip }));
    }
    throw error;
  }
};

const NO_OUTCOME: Outcome = {
  problem: null,
  problems: NO_PROBLEMS,
  refusals: 0,
  created: null,
  brokenOff: null,
  refused: null,
};

/** What came of the last try, less what has been mended since. */
const useOutcome = (shown: BulkForm) => {
  const [outcome, setOutcome] = useState(NO_OUTCOME);
  const { refused, problems, brokenOff, ...others } = outcome;
  const left = useMemo(() => (refused ? problemsLeft(problems, refused, shown) : problems), [problems, refused, shown]);
  const setBrokenOff: Transfer["onBrokenOff"] = (next) =>
    setOutcome((before) => ({ ...before, brokenOff: next(before.brokenOff) }));
  const refuse = (form: BulkForm, problem: string | null, wrong: ReadonlyMap<string, RowProblems>) =>
    setOutcome(({ refusals, brokenOff: kept }) => ({
      ...NO_OUTCOME,
      problem,
      problems: wrong,
      refusals: refusals + 1,
      brokenOff: kept,
      refused: form,
    }));
  const shownBreak = brokenOff?.form === shown ? brokenOff : null;
  return { outcome: { ...others, problems: left, brokenOff: shownBreak }, setOutcome, setBrokenOff, refuse };
};

/** What is being sent just now; broken off with the screen. */
const useSending = () => {
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);
  return sending;
};

/** R-BULK-08 to R-BULK-10. `shown` is the form as it stands; `onCreated` is told when the drafts are made. */
export const useBulkSend = (shown: BulkForm, onCreated: () => void): BulkSending => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [percents, setPercents] = useState<ReadonlyMap<string, number> | null>(null);
  const { outcome, setOutcome, setBrokenOff, refuse } = useOutcome(shown);
  const sending = useSending();
  const keyOf = useSubmissionKey();
  const kept = useKeptFiles();

  const fail = (error: unknown, form: BulkForm) => {
    if (!(error instanceof ApiError)) throw error;
    if (isSessionFailure(error)) return;
    kept.learn(error, form);
    refuse(form, failureText(error.body), fieldTexts(error.body, form));
  };

  const send = async (form: BulkForm, accountId: string | null) => {
    if (sending.current) return;
    const missing = checkRows(form);
    if (accountId === null) return refuse(form, TEXTS.accountNeeded, missing);
    if (missing.size > 0) return refuse(form, null, missing);
    const controller = new AbortController();
    sending.current = controller;
    setOutcome(({ refusals, brokenOff }) => ({ ...NO_OUTCOME, refusals, brokenOff }));
    try {
      const { signal } = controller;
      const options = { accountId, key: keyOf(form), kept, signal, onPercents: setPercents, onBrokenOff: setBrokenOff };
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
