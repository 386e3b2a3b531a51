"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { startAt } from "#components/publishing/read-start.ts";
import { type PlanFields, usePlanFields } from "#components/publishing/use-schedule-plan.ts";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api, callAction } from "#lib/client/api.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { listReviewedAction } from "#lib/features/pins/actions.ts";
import {
  PAGE_MAX,
  PINS_AT_ONCE_MAX,
  type ProposedTimes,
  REVIEWS,
  type Review,
  TEXTS,
} from "#lib/features/pins/constants.ts";
import type { PinsWire, PinWire } from "#lib/features/pins/schema.ts";
import { isInterval } from "#lib/features/publishing/policy.ts";
import { type PinQuery, pinsPath, readPinQuery } from "./pin-list.ts";
import { useSelectionRefresh } from "./use-due-pins.ts";
import { type InitialPins, usePins } from "./use-pins.ts";
import { type Selection, useSelection } from "./use-selection.ts";

/** The first drafts of a list, up to the selection limit. @throws ApiError */
const readDrafts = async (accountId: string, query: PinQuery): Promise<PinWire[]> => {
  const found: PinWire[] = [];
  let path: string | null = pinsPath(accountId, { ...query, filter: "draft" }, { limit: String(PAGE_MAX) });
  while (path !== null && found.length < PINS_AT_ONCE_MAX) {
    const page: { body: PinsWire; next: string | null } = await api.getPage<PinsWire>(path);
    found.push(...page.body.posts);
    path = page.next;
  }
  return found.slice(0, PINS_AT_ONCE_MAX);
};

interface AllDrafts {
  accountId: string | null;
  query: PinQuery;
  pins: readonly PinWire[];
  hasMore: boolean;
  /** Drafts that the search finds. */
  total: number;
  selection: Selection;
}

/** Selects all drafts that the search finds, loaded or not, up to the selection limit. */
const useAllDrafts = (all: AllDrafts): { isBusy: boolean; choose: () => Promise<void> } => {
  const { accountId, query, pins, hasMore, total, selection } = all;
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(selection);
  useEffect(() => {
    latest.current = selection;
  }, [selection]);

  const choose = async () => {
    if (!accountId || isBusy) return;
    if (!hasMore) return selection.add(pins.filter(({ status }) => status === "draft"));
    setBusy(true);
    try {
      const drafts = await readDrafts(accountId, query);
      latest.current.add(drafts);
      if (total > drafts.length) {
        const [selected, found] = [drafts.length, total].map((count) => count.toLocaleString("en"));
        showToast(`Selected the first ${selected} of ${found} drafts, the most you can select at once.`);
      }
    } catch (error) {
      if (!isSessionFailure(error)) notice.error(TEXTS.loadFailed);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, choose };
};

/** Fills the schedule bar: with the proposed times, or else at the account's safe pace. */
const fillBar = ({ setPace, setText, setChoice }: PlanFields, times: ProposedTimes | undefined): void => {
  setPace(times ? "fixed" : "safe");
  if (!times) return;
  setText(String(times.intervalMinutes));
  // The bar shows it in the user's time zone.
  setChoice(startAt(new Date(times.start), "UTC"));
};

/** Selects only these drafts, and fills the schedule bar. */
const usePlanDrafts = (accountId: string | null, { clear, restore }: Selection, fields: PlanFields) => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  return useStableCallback(async (pinIds: readonly string[], times?: ProposedTimes) => {
    if (!accountId) return;
    try {
      const { posts } = await api.get<PinsWire>(pinsPath(accountId, {}, { ids: pinIds.join(",") }));
      flushSync(() => {
        clear();
        restore(posts);
        fillBar(fields, times);
      });
      // A dialog that closed just now gives the focus back in a timer.
      setTimeout(focusBar);
    } catch (error) {
      if (!isSessionFailure(error)) notice.error(TEXTS.loadFailed);
    }
  });
};

const focusBar = (): void =>
  document.querySelector<HTMLElement>("[data-slot=schedule-bar]")?.focus({ preventScroll: true });

/** Selects the drafts with the review named by the URL parameter `choose`, and removes the parameter. */
const useSelectReviewed = (accountId: string | null, choose: (pins: readonly PinWire[]) => void): void => {
  const notice = useNotice();
  const selectReviewed = useEffectEvent(async (review: Review) => {
    if (!accountId) return;
    const answer = await callAction(listReviewedAction({ accountId, review }));
    if (!answer.ok) return notice.error(answer.text);
    flushSync(() => choose(answer.value.posts));
    // The button that led here is gone, so the focus goes to the schedule bar.
    if (document.activeElement === document.body) focusBar();
  });
  useEffect(() => {
    const parameter = new URLSearchParams(location.search).get("choose");
    const review = REVIEWS.find((known) => known === parameter);
    if (!review) return;
    editQuery((search) => search.delete("choose"));
    selectReviewed(review);
  }, []);
};

type PlanDrafts = (pinIds: readonly string[], times?: ProposedTimes) => Promise<void>;

/** Undefined unless both parameters are valid. */
const readTimes = (search: URLSearchParams): ProposedTimes | undefined => {
  const [start, intervalMinutes] = [search.get("start") ?? "", Number(search.get("every"))];
  return Number.isNaN(Date.parse(start)) || !isInterval(intervalMinutes) ? undefined : { start, intervalMinutes };
};

/** Plans the drafts that the URL parameter `plan` lists, at the times of `start` and `every`, and removes all three. */
const usePlannedInUrl = (planDrafts: PlanDrafts): void =>
  useEffect(() => {
    const parameters = new URLSearchParams(location.search);
    const ids = parameters.get("plan")?.split(",");
    if (!ids) return;
    editQuery((search) => {
      for (const name of ["plan", "start", "every"]) search.delete(name);
    });
    void planDrafts(ids, readTimes(parameters));
  }, [planDrafts]);

/** Defaults, which the URL leaves out. */
const DEFAULTS = { status: "all", q: "", sort: "newest" };

const queryOf = (search: URLSearchParams): PinQuery => readPinQuery(Object.fromEntries(search));

type QueryInUrl = {
  accountId: string | null;
  query: PinQuery;
  /** Called after Back or Forward to another URL of this screen. */
  onReturn: (accountId: string | null, query: PinQuery) => void;
};

/**
 * Keeps account, status, search and sort order in the URL. Each status gets its own history entry, so that Back returns
 * to the previous one.
 */
const useQueryInUrl = ({ accountId, query, onReturn }: QueryInUrl): void => {
  const { filter, q, sort } = query;
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          const values = { status: filter, q, sort };
          for (const name of ["status", "q", "sort"] as const) {
            if (values[name] === DEFAULTS[name]) search.delete(name);
            else search.set(name, values[name]);
          }
        },
        { isStep: (before) => queryOf(before).filter !== filter },
      ),
    [accountId, filter, q, sort],
  );
  const goBack = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    onReturn(search.get("account") ?? accountId, queryOf(search));
  });
  useEffect(() => {
    const { pathname } = location;
    const onPopState = () => {
      if (location.pathname === pathname) goBack();
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, []);
};

const NONE: readonly PinWire[] = [];

const showLimit = (): void => showToast(`You can select up to ${PINS_AT_ONCE_MAX} pins at once.`);

/** State of Generated Posts: the query, its pins, the selection, and how it is scheduled. */
export const usePinGrid = (first: InitialPins) => {
  const [accountId, setAccountId] = useState(first.accountId);
  const [query, setQuery] = useState(first.query);
  const change = useCallback((part: Partial<PinQuery>) => setQuery((before) => ({ ...before, ...part })), []);
  useQueryInUrl({
    accountId,
    query,
    onReturn: (id, returned) => {
      setAccountId(id);
      setQuery(returned);
    },
  });
  const list = usePins(accountId, query, first);
  const pins = list.pins ?? NONE;
  const selection = useSelection({ accountId, pins, rows: list.rows, onFull: showLimit });
  useSelectionRefresh(list.answer, { accountId, selection, shown: pins });
  useSelectReviewed(accountId, selection.restore);
  const fields = usePlanFields();
  const planDrafts = usePlanDrafts(accountId, selection, fields);
  usePlannedInUrl(planDrafts);
  const isDraftHere = query.filter === "all" || query.filter === "draft";
  const draftCount = isDraftHere ? (list.counts?.draft ?? 0) : 0;
  const allDrafts = useAllDrafts({
    accountId,
    query,
    pins,
    hasMore: list.more.hasMore,
    total: draftCount,
    selection,
  });
  return { accountId, setAccountId, query, change, list, pins, selection, draftCount, allDrafts, fields, planDrafts };
};
