"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { LeftOut } from "#components/planning/use-safe-plan.ts";
import type { SchedulePlan } from "#components/publishing/schedule-bar.tsx";
import { useMoves } from "#components/publishing/use-moves.ts";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionResult, api, callAction, describeFailure } from "#lib/client/api.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { deleteDraftsAction, restoreDraftsAction } from "#lib/features/pins/actions.ts";
import { plannedPath } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { applyPlanAction } from "#lib/features/planning/actions.ts";
import type { PlanWire } from "#lib/features/planning/schema.ts";
import { publishNowAction, reschedulePinAction, retryPinAction } from "#lib/features/publishing/actions.ts";
import { scheduledText, TEXTS } from "#lib/features/publishing/constants.ts";
import type { Selection } from "./use-selection.ts";

interface Deletion {
  isDeleting: boolean;
  /** Deletes drafts or failed pins, all or none, with Undo in the toast. @returns whether they were deleted. */
  remove: (pinIds: readonly string[]) => Promise<boolean>;
}

/** `onChanged` is called after deleting and after Undo. */
export const useDeletion = ({ onChanged }: { onChanged: () => void }): Deletion => {
  const notice = useNotice();
  const [isDeleting, setDeleting] = useState(false);

  const restore = async (pinIds: string[]) => {
    const answer = await callAction(restoreDraftsAction({ pinIds }));
    if (answer.ok) showToast(pinIds.length === 1 ? "Pin restored" : `${pinIds.length} pins restored`);
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
    if (answer.ok) showToast(done, { hasCheck: true, onUndo: () => void restore(ids) });
    else notice.error(answer.text);
    onChanged();
    return answer.ok;
  };

  return { isDeleting, remove };
};

/** Commands for pins. Each shows the result in a toast or notice and reloads the list. */
export interface PinActions {
  isScheduling: boolean;
  /** The pin with a running command. */
  busyPinId: string | null;
  /** @returns whether it was scheduled. */
  schedule: (plan: SchedulePlan) => Promise<boolean>;
  /** @returns whether its pins were scheduled. */
  applyPlan: (plan: PlanWire, leftOut: readonly LeftOut[]) => Promise<boolean>;
  retry: (pin: PinWire) => Promise<boolean>;
  /** With Undo in the toast, as in the calendar. @returns whether it is a draft. */
  unschedule: (pin: PinWire) => Promise<boolean>;
  reschedule: (pin: PinWire, at: Date) => Promise<boolean>;
  publishNow: (pin: PinWire) => Promise<boolean>;
  remove: (pin: PinWire) => Promise<boolean>;
  isRemoving: boolean;
  /** @returns whether the drafts were deleted. */
  removeAll: (pinIds: readonly string[]) => Promise<boolean>;
  /** Selects the new drafts on Generated Posts, to be planned at their account's safe pace. */
  planCopies: (accountId: string, pinIds: readonly string[]) => void;
  reload: () => void;
}

type PinAction = (input: { pinId: string }) => Promise<ActionResult<unknown>>;
type ActionContext = {
  selection: Selection;
  timeZone: string;
  reload: () => void;
  /** Absent on screens without a schedule bar, which lead to Generated Posts. */
  planDrafts?: (pinIds: readonly string[]) => Promise<void>;
};

/** Schedules the selection and shows when the last pin is published. */
const useScheduling = ({ selection, timeZone, reload }: ActionContext) => {
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
      // Removes only these: the user may have selected others meanwhile.
      selection.remove(ids);
      return true;
    } catch (error) {
      if (isSessionFailure(error)) return false;
      console.warn("Scheduling failed:", describeFailure(error, "no response"));
      notice.error(TEXTS.scheduleFailed);
      return false;
    } finally {
      setScheduling(false);
      reload();
    }
  };

  const applyPlan = async ({ planned_at, slots }: PlanWire, leftOut: readonly LeftOut[]): Promise<boolean> => {
    setScheduling(true);
    const times = slots.map(({ post_id, due_at }) => ({ post_id, due_at }));
    const answer = await callAction(applyPlanAction({ planned_at, slots: times, left_out: [...leftOut] }));
    setScheduling(false);
    if (answer.ok) {
      notice.success(scheduledText(slots.length, formatDateTime(answer.value.last_publish, timeZone)));
      selection.remove(slots.map(({ post_id }) => post_id));
    } else notice.error(answer.text);
    reload();
    return answer.ok;
  };

  return { isScheduling, schedule, applyPlan };
};

export const usePinActions = (context: ActionContext): PinActions => {
  const { timeZone, reload, planDrafts } = context;
  const notice = useNotice();
  const router = useRouter();
  const deletion = useDeletion({ onChanged: reload });
  const { move } = useMoves(async () => reload());
  const [busyPinId, setBusyPinId] = useState<string | null>(null);

  const run = async (pin: PinWire, act: PinAction, done: string): Promise<boolean> => {
    if (busyPinId !== null) return false;
    setBusyPinId(pin.id);
    const answer = await callAction<unknown>(act({ pinId: pin.id }));
    setBusyPinId(null);
    if (answer.ok) showToast(done, { hasCheck: true });
    else notice.error(answer.text);
    reload();
    return answer.ok;
  };

  const unschedule = async ({ id, scheduled_at }: PinWire): Promise<boolean> => {
    if (busyPinId !== null) return false;
    setBusyPinId(id);
    const moves = [{ id, from: scheduled_at, to: null }];
    const isDraft = await move({ moves, problem: null, note: null }, timeZone);
    setBusyPinId(null);
    return isDraft;
  };

  return {
    ...useScheduling(context),
    busyPinId,
    reload,
    retry: (pin) => run(pin, retryPinAction, "Trying again"),
    unschedule,
    reschedule: (pin, at) => {
      const done = `Rescheduled to ${formatDateTime(at.toISOString(), timeZone)}`;
      return run(pin, ({ pinId }) => reschedulePinAction({ pinId, at: at.toISOString() }), done);
    },
    publishNow: (pin) => run(pin, publishNowAction, "Publishing to Pinterest"),
    remove: (pin) => deletion.remove([pin.id]),
    isRemoving: deletion.isDeleting,
    removeAll: deletion.remove,
    planCopies: (accountId, pinIds) =>
      planDrafts ? void planDrafts(pinIds) : router.push(plannedPath(accountId, pinIds)),
  };
};
