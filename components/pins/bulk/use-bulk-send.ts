"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import type { BrokenOff } from "#components/pins/bulk/broken-off.ts";
import { type BulkForm, type RowProblems, sentPercents, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { checkRows, problemsLeft } from "#components/pins/bulk/check-rows.ts";
import { failureText, fieldTexts, type KeptFiles, toFormData } from "#components/pins/bulk/form-data.ts";
import { type KeptFilesOf, useKeptFiles } from "#components/pins/bulk/use-kept-files.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError } from "#lib/client/api.ts";
import { randomKey } from "#lib/client/random-key.ts";
import { upload } from "#lib/client/upload.ts";
import { IDEMPOTENCY_HEADER, TEXTS } from "#lib/features/pins/constants.ts";
import type { BulkWire } from "#lib/features/pins/schema.ts";

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
