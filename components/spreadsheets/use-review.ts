import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { type ActionResult, actionValue, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { type ApiQuery, useApiQuery } from "#lib/client/use-api-query.ts";
import { readImportAction, readProgressAction } from "#lib/features/spreadsheets/actions.ts";
import type { ReviewFilter } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire, ProgressWire, ReviewInput, ReviewRowWire } from "#lib/features/spreadsheets/schema.ts";

const POLL_MIN_MS = 2_000;
const POLL_MAX_MS = 10_000;
/** With many images to fetch, little changes in a few seconds. */
const POLL_PER_IMAGE_MS = 10;
/** Links of one site are checked one after the other. */
const POLL_LINKS_MS = 5_000;

const pollMs = ({ counts }: ImportWire): number =>
  counts.images_waiting === 0
    ? POLL_LINKS_MS
    : Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, counts.images_waiting * POLL_PER_IMAGE_MS));

const isImageWaiting = ({ image_state }: ReviewRowWire): boolean => image_state === "waiting";

/** Nothing changes by itself anymore. */
const isSettled = ({ status, counts, rows }: ImportWire): boolean =>
  status === "done" ||
  (status === "review" && counts.images_waiting === 0 && !rows.some(({ link_checking }) => link_checking));

const isUnchanged = ({ status, version, counts, rows }: ImportWire, now: ProgressWire): boolean =>
  now.status === status &&
  now.version === version &&
  now.images_failed === counts.images_failed &&
  now.shown_waiting === rows.filter(isImageWaiting).length &&
  now.shown_checking === rows.filter(({ link_checking }) => link_checking).length &&
  now.images_waiting > 0 === counts.images_waiting > 0;

/** Planning all rows takes the server a while, so the page is read again only if it would show something else. */
const readAgain = async (before: ImportWire | undefined, input: ReviewInput): Promise<ImportWire> => {
  if (before && !isSettled(before)) {
    const waiting = before.rows.filter((row) => isImageWaiting(row) || row.link_checking);
    const numbers = waiting.map(({ number }) => number);
    const now = await actionValue(readProgressAction({ importId: before.id, numbers }));
    const counts = { ...before.counts, images_waiting: now.images_waiting };
    if (isUnchanged(before, now)) return { ...before, counts };
  }
  return actionValue(readImportAction(input));
};

export interface Review {
  query: ApiQuery<ImportWire>;
  filter: ReviewFilter;
  setFilter: (filter: ReviewFilter) => void;
  setPage: (page: number) => void;
  /** The change that is being saved; one at a time. */
  busy: string | null;
  /** Saves a change, then reads the rows again. */
  call: <T>(name: string, call: () => Promise<ActionResult<T>>) => Promise<ActionResult<T>>;
  /** Like `call`, with a notice for an error. @returns the error's text, or null */
  save: <T>(name: string, call: () => Promise<ActionResult<T>>) => Promise<string | null>;
}

/** An import with what its rows will become, read again while images are fetched and pins are created. */
export const useReview = (importId: string, first: ImportWire | null): Review => {
  const [filter, setFilter] = useState<ReviewFilter>("all");
  const [page, setPage] = useState(0);
  const [busy, setBusy] = useState<string | null>(null);
  const notice = useNotice();
  const isFirst = filter === "all" && page === 0;
  const client = useQueryClient();
  const key = queryKeys.importPage(importId, filter, page);
  const query = useApiQuery(key, () => readAgain(client.getQueryData<ImportWire>(key), { importId, filter, page }), {
    ...(isFirst && first && { initialData: first }),
    placeholderData: (before: ImportWire | undefined) => before,
    polling: { everyMs: pollMs, isDone: isSettled, pausesMs: [POLL_MIN_MS] },
  });
  const call: Review["call"] = async (name, start) => {
    setBusy(name);
    try {
      const answer = await callAction(start());
      await query.reload();
      return answer;
    } finally {
      setBusy(null);
    }
  };
  const save: Review["save"] = async (name, start) => {
    const answer = await call(name, start);
    if (answer.ok) return null;
    notice.error(answer.text);
    return answer.text;
  };
  const changeFilter = (next: ReviewFilter) => {
    setFilter(next);
    setPage(0);
  };
  return { query, filter, setFilter: changeFilter, setPage, busy, call, save };
};

/** A value that is shown as chosen while it is being saved. */
export const useChosen = <T>(saved: T): [T, (value: T, save: Promise<unknown>) => Promise<void>] => {
  const [pending, setPending] = useState<{ value: T } | null>(null);
  const choose = async (value: T, save: Promise<unknown>) => {
    setPending({ value });
    await save;
    setPending(null);
  };
  return [pending ? pending.value : saved, choose];
};
