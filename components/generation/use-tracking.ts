"use client";

import { useMemo, useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { mergeTasks } from "#components/generation/merge-tasks.ts";
import { useSessionEnd } from "#components/shared/session.ts";
import { api } from "#lib/client/api.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { useLiveRows } from "#lib/client/use-stream.ts";
import { POLL_MS, TEXTS } from "#lib/features/generation/constants.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

const isFinished = ({ completed_tasks, total_tasks }: TrackingWire): boolean => completed_tasks >= total_tasks;

/**
 * Follows a group: asks every three seconds until all is finished or a question fails (R-TRK-02 to R-TRK-05). What
 * happens in between is shown as the live stream tells it.
 */
export const useTracking = (groupId: string | null, first: TrackingWire | null) => {
  const { reload } = useCredits();
  const { isSessionFailure } = useSessionEnd();
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<{ groupId: string; text: string } | null>(null);
  const { rows, mark } = useLiveRows<TaskWire>((news) =>
    news.kind === "task" && news.data.group_id === groupId ? { id: news.data.task_id, value: news.data } : null,
  );
  const polled = usePolling(
    async (signal) => {
      const askedAt = mark();
      const path = `/api/users/pinterest/track-pin-generation/?group_id=${encodeURIComponent(groupId ?? "")}`;
      return { ...(await api.get<TrackingWire>(path, signal)), askedAt };
    },
    {
      everyMs: POLL_MS,
      subject: groupId,
      attempt,
      isDone: isFinished,
      onDone: reload,
      onError: (error) => {
        if (groupId && !isSessionFailure(error)) setProblem({ groupId, text: TEXTS.pollFailed });
      },
    },
  );
  const tracking = useMemo(() => {
    const answer = groupId === null ? null : (polled ?? first);
    return answer && mergeTasks(answer, polled?.askedAt ?? 0, rows);
  }, [groupId, polled, first, rows]);
  return {
    tracking,
    problem: problem && problem.groupId === groupId ? problem.text : null,
    /** Asks on after a question failed. */
    resume: () => {
      setProblem(null);
      setAttempt((before) => before + 1);
    },
  };
};
