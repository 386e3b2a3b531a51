"use client";

import { useState } from "react";
import { useCredits } from "#components/credits/credits-context.tsx";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { api } from "#lib/client/api.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { POLL_MS, TEXTS } from "#lib/features/generation/constants.ts";
import type { TrackingWire } from "#lib/features/generation/schema.ts";

const isFinished = ({ completed_tasks, total_tasks }: TrackingWire): boolean => completed_tasks >= total_tasks;

/** Follows a group: asks every three seconds until all is finished or a question fails (R-TRK-02 to R-TRK-05). */
export const useTracking = (groupId: string | null, first: TrackingWire | null) => {
  const { reload } = useCredits();
  const { isSessionFailure } = useSessionEnd();
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<{ groupId: string; text: string } | null>(null);
  const polled = usePolling(
    (signal) =>
      api.get<TrackingWire>(
        `/api/users/pinterest/track-pin-generation/?group_id=${encodeURIComponent(groupId ?? "")}`,
        signal,
      ),
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
  return {
    tracking: groupId === null ? null : (polled ?? first),
    problem: problem && problem.groupId === groupId ? problem.text : null,
    /** Asks on after a question failed. */
    resume: () => {
      setProblem(null);
      setAttempt((before) => before + 1);
    },
  };
};
