"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { type BulkForm, type RowProblems, sentPercents, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { checkRows, problemsLeft } from "#components/pins/bulk/check-rows.ts";
import { failureText, fieldTexts, type KeptFiles, toFormData } from "#components/pins/bulk/form-data.ts";
import { useKeptFiles } from "#components/pins/bulk/use-kept-files.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError } from "#lib/client/api.ts";
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
  send: (form: BulkForm, accountId: string | null) => Promise<void>;
  /** Breaks off what is being sent. */
  stop: () => void;
}

/** `refused`: the form as it was when it was found wanting. */
type Outcome = Pick<BulkSending, "problem" | "problems" | "refusals" | "created"> & { refused: BulkForm | null };

const NO_PERCENTS: ReadonlyMap<string, number> = new Map();
const NO_PROBLEMS: ReadonlyMap<string, RowProblems> = new Map();

/** A set that is sent again unchanged keeps its key, so that it is not made twice. */
const useSubmissionKey = (): ((form: BulkForm) => string) => {
  const last = useRef<{ form: BulkForm; key: string } | null>(null);
  return (form) => {
    if (last.current?.form !== form) last.current = { form, key: crypto.randomUUID() };
    return last.current.key;
  };
};

type Transfer = {
  accountId: string;
  key: string;
  readKept: (form: BulkForm) => Promise<KeptFiles>;
  signal: AbortSignal;
  onPercents: (all: Map<string, number>) => void;
};

/** Sends the form, telling how much of each row's image has gone. @throws ApiError */
const transfer = async (form: BulkForm, options: Transfer): Promise<BulkWire> => {
  const { accountId, key, readKept, signal, onPercents } = options;
  onPercents(new Map());
  const kept = await readKept(form);
  signal.throwIfAborted();
  const rows = shownRows(form);
  const sizes = rows.map(({ picture }) => (picture && !kept.has(picture.file) ? picture.file.size : 0));
  const tell = (bytes: number) => {
    const sent = sentPercents(sizes, bytes);
    onPercents(new Map(rows.map((row, at) => [row.key, sent[at] ?? 0])));
  };
  tell(0);
  const headers = { [IDEMPOTENCY_HEADER]: key };
  return upload<BulkWire>(PATH, toFormData(form, accountId, kept), { headers, onSent: tell, signal });
};

const NO_OUTCOME: Outcome = { problem: null, problems: NO_PROBLEMS, refusals: 0, created: null, refused: null };

/** What came of the last try, less what has been mended since. */
const useOutcome = (shown: BulkForm) => {
  const [outcome, setOutcome] = useState(NO_OUTCOME);
  const { refused, problems, ...others } = outcome;
  const left = useMemo(() => (refused ? problemsLeft(problems, refused, shown) : problems), [problems, refused, shown]);
  return { outcome: { ...others, problems: left }, setOutcome };
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
  const { outcome, setOutcome } = useOutcome(shown);
  const sending = useSending();
  const keyOf = useSubmissionKey();
  const kept = useKeptFiles();

  const refuse = (form: BulkForm, problem: string | null, wrong: ReadonlyMap<string, RowProblems>) =>
    setOutcome(({ refusals }) => ({ problem, problems: wrong, refusals: refusals + 1, created: null, refused: form }));

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
    setOutcome((before) => ({ ...before, problem: null, problems: NO_PROBLEMS, created: null }));
    try {
      const { signal } = controller;
      const options = { accountId, key: keyOf(form), readKept: kept.read, signal, onPercents: setPercents };
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
