"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { ApiError, api, callAction } from "#lib/client/api.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { askForResultsAction } from "#lib/features/analytics/actions.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { GatherWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { reportPath } from "./results-query.ts";

interface Asked {
  turn: number;
  /** Why missing figures are not fetched. */
  problem: string | null;
  /** Whole seconds until they can be asked for again. */
  againInSeconds: number | null;
}

/** What came of asking that missing figures be fetched. */
export interface Asking extends Omit<Asked, "turn"> {
  /** Names the asking that was answered; null while one is under way. */
  turn: string | null;
  /** They are asked for once more. */
  isAgain: boolean;
  ask: () => void;
}

/** Asks once for each account that missing figures be fetched; the report is read after that, so that it knows. */
const useAsking = (accountId: string): Asking => {
  const [turn, setTurn] = useState(0);
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    let isWanted = true;
    void callAction(askForResultsAction({ accountId })).then((answer) => {
      if (!isWanted) return;
      const againInSeconds = answer.ok ? (answer.value.againInSeconds ?? null) : null;
      setAsked({ turn, problem: answer.ok ? null : answer.text, againInSeconds });
    });
    return () => {
      isWanted = false;
    };
  }, [accountId, turn]);
  // Once the time is over the words would be wrong.
  useEffect(() => {
    if (!asked?.againInSeconds) return;
    const timer = setTimeout(() => setAsked({ ...asked, againInSeconds: null }), asked.againInSeconds * SECOND_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  return {
    turn: asked?.turn === turn ? `${accountId} ${turn}` : null,
    isAgain: turn > 0 && asked?.turn !== turn,
    problem: asked?.problem ?? null,
    againInSeconds: asked?.againInSeconds ?? null,
    ask: useCallback(() => setTurn((before) => before + 1), []),
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

/**
 * Pins by what they were made of: the server's first paint, then the documented call, again and again while figures
 * arrive.
 * @param first the report that the server painted, and the call it stands for
 */
export const useReport = (
  accountId: string,
  { days, by }: { days: DayRange; by: Dimension },
  first: { path: string | null; report: ReportWire | null },
): Report => {
  const { isSessionFailure } = useSessionEnd();
  const path = reportPath(accountId, days, by);
  const asking = useAsking(accountId);
  const { turn } = asking;
  const [attempt, setAttempt] = useState(0);
  const [everyMs, setEveryMs] = useState(WORKING_MS);
  const [failed, setFailed] = useState<{ path: string; attempt: number; error: unknown } | null>(null);
  const answer = usePolling(
    async (signal) => {
      const report = await api.get<ReportWire>(path, signal);
      setFailed(null);
      setEveryMs(report.gather.state === "waiting" ? WAITING_MS : WORKING_MS);
      return { path, report };
    },
    {
      everyMs,
      pausesMs: PAUSES_MS,
      isPassing,
      isDone: ({ report }) => !isUnderWay(report.gather),
      subject: turn && `${turn} ${path}`,
      attempt,
      onError: (error) => {
        if (!isSessionFailure(error)) setFailed({ path, attempt, error });
      },
    },
  );
  const shown = useRef({ accountId, ...first });
  if (answer) shown.current = { accountId, ...answer };
  const { report } = shown.current.accountId === accountId ? shown.current : { report: null };
  return {
    report,
    isStale: report !== null && shown.current.path !== path,
    error: failed?.path === path ? failed.error : null,
    asking,
    isReloading: failed?.path === path && failed.attempt !== attempt,
    reload: useCallback(() => setAttempt((before) => before + 1), []),
  };
};
