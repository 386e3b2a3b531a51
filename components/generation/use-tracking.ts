"use client";

import { useMemo } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { mergeTasks } from "#components/generation/merge-tasks.ts";
import { api } from "#lib/client/api.ts";
import { nextSequence, useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { POLL_MS, TEXTS } from "#lib/features/generation/constants.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

const isFinished = ({ completed_tasks, total_tasks }: TrackingWire): boolean => completed_tasks >= total_tasks;

/** Polls a group until it has finished or a request fails, and merges live events in between. */
export const useTracking = (groupId: string | null, first: TrackingWire | null) => {
  const { reload: reloadCredits } = useCredits();
  const rows = useLiveRows<TaskWire>(queryKeys.taskRows);
  const call = useApiQuery(
    groupId === null ? null : queryKeys.tracking(groupId),
    async (signal) => {
      const requestedAt = nextSequence();
      const path = `/api/users/pinterest/track-pin-generation/?group_id=${encodeURIComponent(groupId ?? "")}`;
      const answer = await api.get<TrackingWire>(path, signal);
      if (isFinished(answer)) reloadCredits();
      return { ...answer, requestedAt };
    },
    { polling: { everyMs: () => POLL_MS, isDone: isFinished } },
  );
  const tracking = useMemo(() => {
    const answer = groupId === null ? null : (call.data ?? first);
    return answer && mergeTasks(answer, call.data?.requestedAt ?? 0, rows);
  }, [groupId, call.data, first, rows]);
  return {
    tracking,
    problem: call.error !== null && !call.isReloading ? TEXTS.pollFailed : null,
    /** Continues after a failed request. */
    resume: call.reload,
  };
};
