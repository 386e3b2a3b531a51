"use client";

import { useEffect, useState } from "react";
import { api, callAction, isTransient } from "#lib/client/api.ts";
import { nextSequence } from "#lib/client/live-cache.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { requestSyncAction } from "#lib/features/analytics/actions.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { ReportWire, SyncWire } from "#lib/features/analytics/schema.ts";
import { reportPath } from "./analytics-query.ts";

/** The state of the request to sync missing metrics. */
export interface SyncRequest {
  /** Identifies the answered request; null while one is pending. */
  id: number | null;
  isRetrying: boolean;
  problem: string | null;
  /** Whole seconds until a retry is possible. */
  retryInSeconds: number | null;
  retry: () => void;
}

/** Requests a sync once per account. The report is read afterward, so that it includes the sync's state. */
const useSyncRequest = (accountId: string): SyncRequest => {
  const { data, isReloading, reload } = useApiQuery(["analytics-sync", accountId], async () => {
    const answer = await callAction(requestSyncAction({ accountId }));
    const retryInSeconds = answer.ok ? (answer.value.retryInSeconds ?? null) : null;
    return { id: nextSequence(), problem: answer.ok ? null : answer.text, retryInSeconds };
  });
  // Hides the wait once it is over.
  const [expiredId, setExpiredId] = useState(0);
  useEffect(() => {
    if (!data?.retryInSeconds) return;
    const timer = setTimeout(() => setExpiredId(data.id), data.retryInSeconds * SECOND_MS);
    return () => clearTimeout(timer);
  }, [data]);
  return {
    id: data === null || isReloading ? null : data.id,
    isRetrying: data !== null && isReloading,
    problem: data?.problem ?? null,
    retryInSeconds: data === null || data.id === expiredId ? null : data.retryInSeconds,
    retry: reload,
  };
};

const WORKING_MS = 3 * SECOND_MS;
const WAITING_MS = 15 * SECOND_MS;

/** Pauses after failed polls. After the last one the error is shown and polling continues. */
const PAUSES_MS = [3, 6, 12, 24].map((seconds) => seconds * SECOND_MS);

const isUnderWay = ({ state }: SyncWire): boolean => state === "working" || state === "waiting";

export interface Report {
  /** The last response, or the server-rendered report; null before either. */
  report: ReportWire | null;
  /** The report still belongs to other days or groups. */
  isStale: boolean;
  error: unknown;
  syncRequest: SyncRequest;
  isReloading: boolean;
  reload: () => void;
}

interface InitialReport {
  path: string | null;
  report: ReportWire | null;
}

/**
 * Reads a report, starting from the server-rendered one, and polls while a sync is running.
 * @param first the server-rendered report and its path
 */
export const useReport = (
  accountId: string,
  { days, by }: { days: DayRange; by: Dimension },
  first: InitialReport,
): Report => {
  const path = reportPath(accountId, days, by);
  const syncRequest = useSyncRequest(accountId);
  const { data, error, isReloading, reload } = useApiQuery(
    syncRequest.id === null ? null : [path, syncRequest.id],
    async (signal) => ({ path, report: await api.get<ReportWire>(path, signal) }),
    {
      polling: {
        everyMs: ({ report }) => (report.gather.state === "waiting" ? WAITING_MS : WORKING_MS),
        pausesMs: PAUSES_MS,
        isTransient,
        isDone: ({ report }) => !isUnderWay(report.gather),
      },
    },
  );
  const [shown, setShown] = useState<InitialReport>(first);
  if (data && data !== shown) setShown(data);
  // Each sync request changes the query key; an error stays visible until the next response.
  const [failed, setFailed] = useState<{ path: string; error: unknown } | null>(null);
  if (error !== null && failed?.error !== error) setFailed({ path, error });
  else if (error === null && failed !== null && (data || failed.path !== path)) setFailed(null);
  const [isPressed, setPressed] = useState(false);
  return {
    report: shown.report,
    isStale: shown.report !== null && shown.path !== path,
    error: error ?? (failed?.path === path ? failed.error : null),
    syncRequest,
    isReloading: isPressed && isReloading,
    reload: () => {
      setPressed(true);
      void reload().finally(() => setPressed(false));
    },
  };
};
