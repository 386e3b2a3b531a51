import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { type ActionResult, actionValue, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { type ApiQuery, useApiQuery } from "#lib/client/use-api-query.ts";
import { readImportAction } from "#lib/features/spreadsheets/actions.ts";
import type { ReviewFilter } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire } from "#lib/features/spreadsheets/schema.ts";

const POLL_MS = 2_000;

/** Nothing changes by itself anymore. */
const isSettled = ({ status, counts }: ImportWire): boolean =>
  status === "done" || (status === "review" && counts.images_waiting === 0);

export interface Review {
  query: ApiQuery<ImportWire>;
  filter: ReviewFilter;
  setFilter: (filter: ReviewFilter) => void;
  setPage: (page: number) => void;
  /** The change that is being saved; one at a time. */
  busy: string | null;
  /** Saves a change, then reads the rows again. @returns the error's text, or null */
  save: <T>(name: string, call: () => Promise<ActionResult<T>>) => Promise<string | null>;
}

/** An import as its rows would become, read again while images are fetched and pins are created. */
export const useReview = (importId: string, first: ImportWire | null): Review => {
  const [filter, setFilter] = useState<ReviewFilter>("all");
  const [page, setPage] = useState(0);
  const [busy, setBusy] = useState<string | null>(null);
  const notice = useNotice();
  const isFirst = filter === "all" && page === 0;
  const query = useApiQuery(
    queryKeys.importPage(importId, filter, page),
    () => actionValue(readImportAction({ importId, filter, page })),
    {
      ...(isFirst && first && { initialData: first }),
      placeholderData: (before: ImportWire | undefined) => before,
      polling: { everyMs: () => POLL_MS, isDone: isSettled, pausesMs: [POLL_MS] },
    },
  );
  const save: Review["save"] = async (name, call) => {
    setBusy(name);
    try {
      const answer = await callAction(call());
      await query.reload();
      if (answer.ok) return null;
      notice.error(answer.text);
      return answer.text;
    } finally {
      setBusy(null);
    }
  };
  const changeFilter = (next: ReviewFilter) => {
    setFilter(next);
    setPage(0);
  };
  return { query, filter, setFilter: changeFilter, setPage, busy, save };
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
