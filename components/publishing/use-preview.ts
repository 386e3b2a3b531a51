"use client";

import { useEffect, useState } from "react";
import type { SchedulePlan } from "#components/publishing/use-schedule-plan.ts";
import { callAction } from "#lib/client/call-action.ts";
import { useCall } from "#lib/client/use-call.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { previewScheduleAction } from "#lib/features/publishing/actions.ts";
import type { PreviewWire } from "#lib/features/publishing/schema.ts";

/** So long after the last change the server is asked. */
const PAUSE_MS = 400;

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, PAUSE_MS);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });

/** What the server says of a plan; null data while it has not answered yet. */
export interface Preview {
  data: PreviewWire | null;
  /** Why it says nothing. The plan can be scheduled all the same. */
  problem: string | null;
}

/** A plan that starts at once is another one after so long. */
const FRESH_MS = 5 * MINUTE_MS;

/** What of an earlier answer holds for other times as well, so that nothing jumps while the next one is on its way. */
const timeless = (preview: PreviewWire): PreviewWire => ({
  ...preview,
  free_start: null,
  slots: preview.slots.map((slot) => ({ ...slot, clash: null })),
});

/** Asks what speaks against a plan, a moment after each change of it; a plan of null asks nothing. */
export const usePreview = (postIds: readonly string[], plan: SchedulePlan | null, now: Date): Preview => {
  const body = plan && {
    post_ids: [...postIds],
    interval_minutes: plan.intervalMinutes,
    start: plan.start?.toISOString() ?? null,
  };
  const turn = plan?.start ? 0 : Math.floor(now.getTime() / FRESH_MS);
  const { data, error, isLoading } = useCall(body && JSON.stringify([turn, body]), async (signal) => {
    await pause(signal);
    const answer = body && (await callAction(previewScheduleAction(body)));
    if (answer && !answer.ok) throw new Error(answer.text);
    return answer?.value ?? null;
  });
  const [last, setLast] = useState<PreviewWire | null>(null);
  useEffect(() => {
    if (data) setLast(timeless(data));
  }, [data]);
  const isUnanswered = data === null && isLoading;
  return { data: isUnanswered ? last : data, problem: error instanceof Error ? error.message : null };
};
