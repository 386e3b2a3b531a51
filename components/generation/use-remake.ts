"use client";

import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { useCredits } from "#components/credits/credits-context.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { callAction } from "#lib/client/call-action.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import { useStream } from "#lib/client/use-stream.ts";
import {
  cancelGenerationAction,
  readRemakeAction,
  remakePictureAction,
  undoRemakeAction,
} from "#lib/features/generation/actions.ts";
import { POLL_MS, TEXTS } from "#lib/features/generation/constants.ts";
import { isFinished } from "#lib/features/generation/policy.ts";
import type { RemakeWire, TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

export type Quality = "high" | "standard";

/** A new picture for one pin: asked for, in the making, there, and taken back. */
export interface Remake {
  /** The newest that was asked for; null when none was, or that is not known yet. */
  known: RemakeWire | null;
  isRunning: boolean;
  isBusy: boolean;
  /** Why none was started: what it costs and what one has. */
  warning: string | null;
  /** @returns whether one is on its way. */
  start: (quality: Quality) => Promise<boolean>;
  cancel: () => Promise<void>;
  undo: () => Promise<void>;
}

/** Follows a task over the live stream, and by asking every three seconds where nothing is heard. */
const useFollowedTask = (known: RemakeWire | null, onNews: (task: TaskWire) => void): void => {
  const isRunning = known !== null && !isFinished(known.task.status);
  const groupId = isRunning ? known.group_id : null;
  useStream((news) => {
    if (news.kind === "task" && news.data.group_id === groupId) onNews(news.data);
  });
  const tell = ({ tasks }: TrackingWire) => {
    const [task] = tasks;
    if (task) onNews(task);
  };
  usePolling(
    async (signal) => {
      const path = `/api/users/pinterest/track-pin-generation/?group_id=${encodeURIComponent(groupId ?? "")}`;
      const tracking = await api.get<TrackingWire>(path, signal);
      tell(tracking);
      return tracking;
    },
    {
      everyMs: POLL_MS,
      subject: groupId,
      isDone: ({ completed_tasks, total_tasks }) => completed_tasks >= total_tasks,
      // The stream tells it then, or opening the pin again.
      onError: (error) => console.warn("The new picture could not be followed", error),
    },
  );
};

/** Does one thing at a time. */
const useBusy = () => {
  const [isBusy, setBusy] = useState(false);
  const withBusy = async <T>(act: () => Promise<T>): Promise<T> => {
    setBusy(true);
    try {
      return await act();
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, withBusy };
};

/** The newest picture that was asked for a pin, and how to read it again. */
const useKnown = (pinId: string) => {
  const [known, setKnown] = useState<RemakeWire | null>(null);
  const read = useCallback(async () => {
    const answer = await callAction(readRemakeAction({ pinId }));
    if (answer.ok) setKnown(answer.value);
  }, [pinId]);
  const readFirst = useEffectEvent(read);
  useEffect(() => {
    readFirst();
  }, []);
  return { known, setKnown, read };
};

/** Asks for a new picture, and takes back one that nobody has begun. */
const useAsking = (pinId: string, known: RemakeWire | null, onAsked: () => Promise<void>) => {
  const notice = useNotice();
  const [warning, setWarning] = useState<string | null>(null);
  const start = async (quality: Quality): Promise<boolean> => {
    setWarning(null);
    const answer = await callAction(remakePictureAction({ pinId, quality }));
    if (!answer.ok) notice.error(answer.text);
    else if (answer.value.kind === "nothing_affordable") setWarning(answer.value.warning);
    else {
      await onAsked();
      return true;
    }
    return false;
  };
  const cancel = async (): Promise<void> => {
    if (!known) return;
    const answer = await callAction(cancelGenerationAction({ groupId: known.group_id }));
    if (!answer.ok) return notice.error(answer.text);
    const { revokedTasks } = answer.value;
    const isCancelled = revokedTasks > 0;
    showToast(isCancelled ? TEXTS.pictureCancelled : TEXTS.pictureBegun, { hasCheck: isCancelled });
    await onAsked();
  };
  return { warning, start, cancel };
};

/** A new picture for a pin. `onChanged` is called when the pin shows another one. */
export const useRemake = (pinId: string, onChanged: () => void): Remake => {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const { isBusy, withBusy } = useBusy();
  const { known, setKnown, read } = useKnown(pinId);
  const { warning, start, cancel } = useAsking(pinId, known, async () => {
    await read();
    reloadCredits();
  });

  const undo = async () => {
    const answer = await callAction(undoRemakeAction({ pinId }));
    if (answer.ok) showToast("The picture before is back", { hasCheck: true });
    else notice.error(answer.text);
    await read();
    onChanged();
  };

  useFollowedTask(known, (task) => {
    if (known === null || isFinished(known.task.status)) return;
    setKnown({ ...known, task });
    if (!isFinished(task.status)) return;
    reloadCredits();
    void read();
    if (task.status !== "SUCCESS") return;
    onChanged();
    // Its Undo stands in the details, where this is seen.
    showToast("The new picture is there", { hasCheck: true });
  });

  return {
    known,
    isRunning: known !== null && !isFinished(known.task.status),
    isBusy,
    warning,
    start: (quality) => withBusy(() => start(quality)),
    cancel: () => withBusy(cancel),
    undo: () => withBusy(undo),
  };
};
