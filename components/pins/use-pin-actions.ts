"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { deleteDraftAction } from "#lib/features/pins/actions.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { retryPinAction, unschedulePinAction } from "#lib/features/publishing/actions.ts";
import { scheduledText, TEXTS } from "#lib/features/publishing/constants.ts";

/** What can be done with pins on this screen. Each tells how it went and asks for the posts again. */
export interface PinActions {
  isScheduling: boolean;
  /** The pin that something is being done with. */
  busyPinId: string | null;
  schedule: (intervalMinutes: number) => Promise<void>;
  retry: (post: PostWire) => Promise<boolean>;
  unschedule: (post: PostWire) => Promise<boolean>;
  remove: (post: PostWire) => Promise<boolean>;
  reload: () => void;
}

type PinAction = (input: { pinId: string }) => Promise<ActionAnswer<unknown>>;
type Surroundings = { selection: Selection; timeZone: string; reload: () => void };

/** R-SCH-04 to R-SCH-08, and retrying, unscheduling and deleting a pin. */
export const usePinActions = ({ selection, timeZone, reload }: Surroundings): PinActions => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [isScheduling, setScheduling] = useState(false);
  const [busyPinId, setBusyPinId] = useState<string | null>(null);

  const schedule = async (intervalMinutes: number) => {
    const { ids } = selection;
    if (ids.length === 0) return notice.error(TEXTS.nothingSelected);
    setScheduling(true);
    try {
      const body = { post_ids: ids, interval_minutes: intervalMinutes };
      const answer = await api.post<{ last_publish: string }>("/api/users/pinterest/batch-publish-pins/", body);
      notice.success(scheduledText(ids.length, formatDateTime(answer.last_publish, timeZone)));
      selection.clear();
    } catch (error) {
      if (isSessionFailure(error)) return;
      console.warn("Scheduling failed:", describeFailure(error, "no answer"));
      notice.error(TEXTS.scheduleFailed);
    } finally {
      setScheduling(false);
      reload();
    }
  };

  const run = async (post: PostWire, act: PinAction, done: string): Promise<boolean> => {
    if (busyPinId !== null) return false;
    setBusyPinId(post.id);
    const answer = await callAction<unknown>(act({ pinId: post.id }));
    setBusyPinId(null);
    if (answer.ok) showToast(done, { hasCheck: true });
    else notice.error(answer.text);
    reload();
    return answer.ok;
  };

  return {
    isScheduling,
    busyPinId,
    schedule,
    reload,
    retry: (post) => run(post, retryPinAction, "On its way again"),
    unschedule: (post) => run(post, unschedulePinAction, "Back among the drafts"),
    remove: (post) => run(post, deleteDraftAction, "Pin deleted"),
  };
};
