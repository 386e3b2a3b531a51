"use client";

import ImagePlus from "lucide-react/icons/image-plus";
import Undo2 from "lucide-react/icons/undo-2";
import { useEffect, useEffectEvent, useState } from "react";
import { BuyCreditsLink, useCredits } from "#components/credits/credits.tsx";
import { ProgressBar } from "#components/shared/progress-bar.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useFocusInPlace } from "#components/ui/use-focus-in-place.ts";
import { actionValue, callAction } from "#lib/client/api.ts";
import { nextSequence, useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatCount } from "#lib/core/text.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import {
  cancelGenerationAction,
  readRegenerationAction,
  regenerateImageAction,
  undoRegenerationAction,
} from "#lib/features/generation/actions.ts";
import { STAGE_LABELS, TEXTS } from "#lib/features/generation/constants.ts";
import { canRegenerateImage, isFinished } from "#lib/features/generation/policy.ts";
import type { RegenerationWire, TaskWire } from "#lib/features/generation/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { useTracking } from "./use-tracking.ts";

type Quality = "high" | "standard";

interface Regeneration {
  /** The latest regeneration; null when there is none or it has not loaded. */
  known: RegenerationWire | null;
  isRunning: boolean;
  isBusy: boolean;
  /** Set when the credits were not enough. */
  warning: string | null;
  /** @returns whether it started */
  start: (quality: Quality) => Promise<boolean>;
  cancel: () => Promise<void>;
  undo: () => Promise<void>;
}

const useBusy = () => {
  const [isBusy, setBusy] = useState(false);
  const withBusy = async <T,>(act: () => Promise<T>): Promise<T> => {
    setBusy(true);
    try {
      return await act();
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, withBusy };
};

/** The latest regeneration of a pin, followed by live events and by polling. */
const useLatestRegeneration = (pinId: string, onFinished: (task: TaskWire) => void) => {
  const rows = useLiveRows<TaskWire>(queryKeys.taskRows);
  const { data, reload: refresh } = useApiQuery(queryKeys.regeneration(pinId), async () => {
    const requestedAt = nextSequence();
    return { regeneration: await actionValue(readRegenerationAction({ pinId })), requestedAt };
  });
  const newest = data?.regeneration ?? null;
  const isFollowed = newest !== null && !isFinished(newest.task.status);
  const { tracking } = useTracking(isFollowed ? newest.group_id : null, null);
  const row = newest && rows.get(newest.task.task_id);
  const live = row && row.at > (data?.requestedAt ?? 0) ? row.value : null;
  const task = (isFollowed && (tracking?.tasks[0] ?? live)) || newest?.task;
  const finished = isFollowed && task && isFinished(task.status) ? task.task_id : null;
  const notifyFinished = useEffectEvent(() => task && onFinished(task));
  useEffect(() => {
    if (finished === null) return;
    void refresh();
    notifyFinished();
  }, [finished, refresh]);
  return { known: newest && task ? { ...newest, task } : null, refresh };
};

const useRegenerationRequests = (pinId: string, known: RegenerationWire | null, onRequested: () => Promise<void>) => {
  const notice = useNotice();
  const [warning, setWarning] = useState<string | null>(null);
  const start = async (quality: Quality): Promise<boolean> => {
    setWarning(null);
    const answer = await callAction(regenerateImageAction({ pinId, quality }));
    if (!answer.ok) notice.error(answer.text);
    else if (answer.value.kind === "nothing_affordable") setWarning(answer.value.warning);
    else {
      await onRequested();
      return true;
    }
    return false;
  };
  const cancel = async (): Promise<void> => {
    if (!known) return;
    const answer = await callAction(cancelGenerationAction({ groupId: known.group_id }));
    if (!answer.ok) return notice.error(answer.text);
    const { revokedTasks } = answer.value;
    const isCanceled = revokedTasks > 0;
    showToast(isCanceled ? TEXTS.imageCanceled : TEXTS.imageStarted, { hasCheck: isCanceled });
    await onRequested();
  };
  return { warning, start, cancel };
};

/** `onChanged` is called when the pin's image has changed. */
const useRegeneration = (pinId: string, onChanged: () => void): Regeneration => {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const { isBusy, withBusy } = useBusy();
  const { known, refresh } = useLatestRegeneration(pinId, ({ status }) => {
    reloadCredits();
    if (status !== "SUCCESS") return;
    onChanged();
    // The details already offer Undo, so the toast does not.
    showToast("New image ready", { hasCheck: true });
  });
  const { warning, start, cancel } = useRegenerationRequests(pinId, known, async () => {
    await refresh();
    void reloadCredits();
  });

  const undo = async () => {
    const answer = await callAction(undoRegenerationAction({ pinId }));
    if (answer.ok) showToast("Previous image restored", { hasCheck: true });
    else notice.error(answer.text);
    await refresh();
    onChanged();
  };

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

const credits = (count: number): string => (count === 1 ? "1 credit" : `${count} credits`);

const QUALITIES = [
  { value: "high", label: `High, ${credits(COST_CREDITS.high)}` },
  { value: "standard", label: `Standard, ${credits(COST_CREDITS.standard)}` },
] as const;

function Running({ task, regeneration }: { task: TaskWire; regeneration: Regeneration }) {
  return (
    <div className={cn("grid gap-3 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)] text-sm")}>
      <p role="status" tabIndex={-1}>
        <b className="font-semibold">{STAGE_LABELS[task.stage]}</b>. The pin keeps its image until the new one is ready.
      </p>
      <ProgressBar label="New image" value={task.progress_percentage} />
      {task.status === "PENDING" && (
        <Button
          size="sm"
          variant="quiet"
          className="justify-self-start"
          isBusy={regeneration.isBusy}
          onClick={regeneration.cancel}
        >
          Cancel and get credits back
        </Button>
      )}
    </div>
  );
}

type ChoiceProps = { pin: PinWire; regeneration: Regeneration; onDone: () => void };

function Choice({ pin, regeneration, onDone }: ChoiceProps) {
  const { availableCredits } = useCredits();
  const [quality, setQuality] = useState<Quality>("standard");
  const cost = COST_CREDITS[quality];
  return (
    <div className="grid gap-3 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)]">
      <Segment label="Image quality" options={QUALITIES} value={quality} onChange={setQuality} />
      <p className="text-sm text-ink-3 num">
        This costs {credits(cost)}. You have {formatCount(availableCredits)}. You'll get your credits back if it fails.
        {pin.template_id !== null && " The template will be removed with the old image."}
      </p>
      {regeneration.warning && (
        <Banner tone="low" isAnnounced action={<BuyCreditsLink />}>
          {regeneration.warning}
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          size="sm"
          isBusy={regeneration.isBusy}
          onClick={async () => {
            if (await regeneration.start(quality)) onDone();
          }}
        >
          Generate for {credits(cost)}
        </Button>
        <Button variant="quiet" size="sm" onClick={onDone}>
          Keep current image
        </Button>
      </div>
    </div>
  );
}

type OfferProps = { regeneration: Regeneration; onOpen: () => void };

function Offer({ regeneration, onOpen }: OfferProps) {
  const { known } = regeneration;
  return (
    <div className="grid gap-2.5">
      {known?.task.status === "FAILURE" && known.task.reason !== undefined && (
        <Banner tone="failed" isAnnounced>
          We couldn't create a new image. {known.task.reason} Your credits were returned.
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={onOpen}>
          <ImagePlus aria-hidden="true" />
          Generate new image
        </Button>
        {known?.can_undo && (
          <Button size="sm" variant="quiet" isBusy={regeneration.isBusy} onClick={regeneration.undo}>
            <Undo2 aria-hidden="true" />
            Restore previous image
          </Button>
        )}
      </div>
    </div>
  );
}

type RegenerateImageProps = { pin: PinWire; onChanged: () => void };

/** Generates a new image for a draft or failed pin, in Pin Details. */
export function RegenerateImage({ pin, onChanged }: RegenerateImageProps) {
  const regeneration = useRegeneration(pin.id, onChanged);
  const [isOpen, setOpen] = useState(false);
  const { known, isRunning } = regeneration;
  const task = isRunning ? known?.task : undefined;
  const shown = task ? "running" : isOpen ? "choice" : "offer";
  const place = useFocusInPlace<HTMLDivElement>(`${shown} ${known?.can_undo ?? false}`);
  if (!canRegenerateImage({ status: pin.status, mayBePublished: pin.may_be_published })) return null;
  return (
    <div ref={place} className="contents">
      {task && <Running task={task} regeneration={regeneration} />}
      {shown === "choice" && <Choice pin={pin} regeneration={regeneration} onDone={() => setOpen(false)} />}
      {shown === "offer" && <Offer regeneration={regeneration} onOpen={() => setOpen(true)} />}
    </div>
  );
}
