"use client";

import { useState } from "react";
import type { SchedulePlan } from "#components/publishing/schedule-bar.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionAnswer, api, callAction, describeFailure } from "#lib/client/api.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { deleteDraftsAction, restoreDraftsAction } from "#lib/features/pins/actions.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import {
  publishNowAction,
  reschedulePinAction,
  retryPinAction,
  unschedulePinAction,
} from "#lib/features/publishing/actions.ts";
import { scheduledText, TEXTS } from "#lib/features/publishing/constants.ts";
import type { Selection } from "./use-selection.ts";

interface Deletion {
  isDeleting: boolean;
  /** Deletes these drafts or failed pins, all or none, and offers to bring them back. @returns whether they are gone. */
  remove: (pinIds: readonly string[]) => Promise<boolean>;
}

/** Deletes pins with an Undo in the toast. `onChanged` is called after both. */
export const useDeletion = ({ onChanged }: { onChanged: () => void }): Deletion => {
  const notice = useNotice();
  const [isDeleting, setDeleting] = useState(false);

  const bringBack = async (pinIds: string[]) => {
    const answer = await callAction(restoreDraftsAction({ pinIds }));
    if (answer.ok) showToast(pinIds.length === 1 ? "Pin is back" : `${pinIds.length} pins are back`);
    else notice.error(answer.text);
    onChanged();
  };

  const remove = async (pinIds: readonly string[]): Promise<boolean> => {
    if (isDeleting) return false;
    const ids = [...pinIds];
    setDeleting(true);
    const answer = await callAction(deleteDraftsAction({ pinIds: ids }));
    setDeleting(false);
    const done = ids.length === 1 ? "Pin deleted" : `${ids.length} pins deleted`;
    if (answer.ok) showToast(done, { hasCheck: true, onUndo: () => void bringBack(ids) });
    else notice.error(answer.text);
    onChanged();
    return answer.ok;
  };

  return { isDeleting, remove };
};

/** What can be done with pins on this screen. Each tells how it went and asks for the posts again. */
export interface PinActions {
  isScheduling: boolean;
  /** The pin that something is being done with. */
  busyPinId: string | null;
  /** @returns whether it was scheduled. */
  schedule: (plan: SchedulePlan) => Promise<boolean>;
  retry: (post: PostWire) => Promise<boolean>;
  unschedule: (post: PostWire) => Promise<boolean>;
  /** Gives a scheduled pin another time. */
  reschedule: (post: PostWire, at: Date) => Promise<boolean>;
  publishNow: (post: PostWire) => Promise<boolean>;
  remove: (post: PostWire) => Promise<boolean>;
  /** Whether drafts are being deleted. */
  isRemoving: boolean;
  /** Deletes drafts, all or none, with an Undo. @returns whether they are gone. */
  removeAll: (pinIds: readonly string[]) => Promise<boolean>;
  reload: () => void;
}

type PinAction = (input: { pinId: string }) => Promise<ActionAnswer<unknown>>;
type Surroundings = { selection: Selection; timeZone: string; reload: () => void };

/** Schedules what is selected and says when the last of it goes out; a failure keeps the selection (R-SCH-04 to R-SCH-08). */
const useScheduling = ({ selection, timeZone, reload }: Surroundings) => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [isScheduling, setScheduling] = useState(false);

  const schedule = async ({ intervalMinutes, start }: SchedulePlan): Promise<boolean> => {
    const { ids } = selection;
    if (ids.length === 0) {
      notice.error(TEXTS.nothingSelected);
      return false;
    }
    setScheduling(true);
    try {
      const body = { post_ids: ids, interval_minutes: intervalMinutes, ...(start && { start: start.toISOString() }) };
      const answer = await api.post<{ last_publish: string }>("/api/users/pinterest/batch-publish-pins/", body);
      notice.success(scheduledText(ids.length, formatDateTime(answer.last_publish, timeZone)));
      // The stream may have told of it first, and others been chosen since.
      selection.remove(ids);
      return true;
    } catch (error) {
      if (isSessionFailure(error)) return false;
      console.warn("Scheduling failed:", describeFailure(error, "no answer"));
      notice.error(TEXTS.scheduleFailed);
      return false;
    } finally {
      setScheduling(false);
      reload();
    }
  };

  return { isScheduling, schedule };
};

/** Scheduling, and what can be done with one pin. */
export const usePinActions = (around: Surroundings): PinActions => {
  const { timeZone, reload } = around;
  const notice = useNotice();
  const deletion = useDeletion({ onChanged: reload });
  const [busyPinId, setBusyPinId] = useState<string | null>(null);

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
    ...useScheduling(around),
    busyPinId,
    reload,
    retry: (post) => run(post, retryPinAction, "On its way again"),
    unschedule: (post) => run(post, unschedulePinAction, "Back among the drafts"),
    reschedule: (post, at) => {
      const done = `It goes out ${formatDateTime(at.toISOString(), timeZone)}`;
      return run(post, ({ pinId }) => reschedulePinAction({ pinId, at: at.toISOString() }), done);
    },
    publishNow: (post) => run(post, publishNowAction, "On its way to Pinterest"),
    remove: (post) => deletion.remove([post.id]),
    isRemoving: deletion.isDeleting,
    removeAll: deletion.remove,
  };
};
