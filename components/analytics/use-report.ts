"use client";

import { useEffect, useState } from "react";
import { ApiError, api, callAction } from "#lib/client/api.ts";
import { nextSequence } from "#lib/client/live-cache.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { askForResultsAction } from "#lib/features/analytics/actions.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { GatherWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { reportPath } from "./results-query.ts";

/** What came of asking that missing figures be fetched. */
export interface Asking {
  /** Names the asking that was answered; null while one is under way. */
  turn: number | null;
  /** They are asked for once more. */
  isAgain: boolean;
  /** Why missing figures are not fetched. */
  problem: string | null;
  /** Whole seconds until they can be asked for again. */
  againInSeconds: number | null;
  ask: () => void;
}

/** Asks once for each account that missing figures be fetched; the report is read after that, so that it knows. */
const useAsking = (accountId: string): Asking => {
  const { data, isReloading, reload } = useApiQuery(["results-asked", accountId], async () => {
    const answer = await callAction(askForResultsAction({ accountId }));
    const againInSeconds = answer.ok ? (answer.value.againInSeconds ?? null) : null;
    return { turn: nextSequence(), problem: answer.ok ? null : answer.text, againInSeconds };
  });
  // Once the time is over the words would be wrong.
  const [overTurn, setOverTurn] = useState(0);
  useEffect(() => {
    if (!data?.againInSeconds) return;
    const timer = setTimeout(() => setOverTurn(data.turn), data.againInSeconds * SECOND_MS);
    return () => clearTimeout(timer);
  }, [data]);
  return {
    turn: data === null || isReloading ? null : data.turn,
    isAgain: data !== null && isReloading,
    problem: data?.problem ?? null,
    againInSeconds: data === null || data.turn === overTurn ? null : data.againInSeconds,
    ask: reload,
  };
};

/** While figures arrive; Pinterest allows 60 calls a minute, so that nothing is missed. */
const WORKING_MS = 3 * SECOND_MS;
/** While Pinterest has to be waited for. */
const WAITING_MS = 15 * SECOND_MS;

/** Between calls that fail while figures arrive; after the last one people are told, and it goes on. */
const PAUSES_MS = [3, 6, 12, 24].map((seconds) => seconds * SECOND_MS);

const SERVER_ERROR = 500;
const TOO_MANY = 429;

/** No answer, or one that says 'not now'; whatever else is refused stays refused. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === TOO_MANY || error.status >= SERVER_ERROR);

const isUnderWay = ({ state }: GatherWire): boolean => state === "working" || state === "waiting";

/** A report and what stands against a newer one. */
export interface Report {
  /** What was answered last, or painted first; null while nothing is known of this account. */
  report: ReportWire | null;
  /** The report is still that of other days or groups. */
  isStale: boolean;
  error: unknown;
  /** What stands against the fetching of missing figures, and the way to ask for it again. */
  asking: Asking;
  /** The report is being read once more. */
  isReloading: boolean;
  /** Reads the report again. */
  reload: () => void;
}

interface Painted {
  path: string | null;
  report: ReportWire | null;
}

/**
 * Pins by what they were made of: the server's first paint, then the documented call, again and again while figures
 * arrive.
 * @param first the report that the server painted, and the call it stands for
 */
export const useReport = (
  accountId: string,
  { days, by }: { days: DayRange; by: Dimension },
  first: Painted,
): Report => {
  const path = reportPath(accountId, days, by);
  const asking = useAsking(accountId);
  const { data, error, isReloading, reload } = useApiQuery(
    asking.turn === null ? null : [path, asking.turn],
    async (signal) => ({ path, report: await api.get<ReportWire>(path, signal) }),
    {
      polling: {
        everyMs: ({ report }) => (report.gather.state === "waiting" ? WAITING_MS : WORKING_MS),
        pausesMs: PAUSES_MS,
        isPassing,
        isDone: ({ report }) => !isUnderWay(report.gather),
      },
    },
  );
  const [shown, setShown] = useState<Painted>(first);
  if (data && data !== shown) setShown(data);
  // The call is another one after each asking; its failure stays in view until an answer.
  const [failed, setFailed] = useState<{ path: string; error: unknown } | null>(null);
  if (error !== null && failed?.error !== error) setFailed({ path, error });
  else if (error === null && failed !== null && (data || failed.path !== path)) setFailed(null);
  const [isPressed, setPressed] = useState(false);
  return {
    report: shown.report,
    isStale: shown.report !== null && shown.path !== path,
    error: error ?? (failed?.path === path ? failed.error : null),
    asking,
    isReloading: isPressed && isReloading,
    reload: () => {
      setPressed(true);
      void reload().finally(() => setPressed(false));
    },
  };
};
