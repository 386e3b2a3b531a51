"use client";

import ImagePlus from "lucide-react/icons/image-plus";
import Undo2 from "lucide-react/icons/undo-2";
import { useEffect, useEffectEvent, useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { ProgressBar } from "#components/shared/progress-bar.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
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
  readRemakeAction,
  remakePictureAction,
  undoRemakeAction,
} from "#lib/features/generation/actions.ts";
import { STAGE_LABELS, TEXTS } from "#lib/features/generation/constants.ts";
import { isFinished, mayBeRemade } from "#lib/features/generation/policy.ts";
import type { RemakeWire, TaskWire } from "#lib/features/generation/schema.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { useTracking } from "./use-tracking.ts";

type Quality = "high" | "standard";

/** A new picture for one pin: asked for, in the making, there, and taken back. */
interface Remake {
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

/** Does one thing at a time. */
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

/**
 * The newest picture that was asked for a pin, followed over the live stream and by asking every three seconds where
 * nothing is heard.
 */
const useKnown = (pinId: string, onFinished: (task: TaskWire) => void) => {
  const rows = useLiveRows<TaskWire>(queryKeys.taskRows);
  const { data, reload: read } = useApiQuery(queryKeys.remake(pinId), async () => {
    const requestedAt = nextSequence();
    return { remake: await actionValue(readRemakeAction({ pinId })), requestedAt };
  });
  const newest = data?.remake ?? null;
  const isFollowed = newest !== null && !isFinished(newest.task.status);
  const { tracking } = useTracking(isFollowed ? newest.group_id : null, null);
  const row = newest && rows.get(newest.task.task_id);
  const heard = row && row.at > (data?.requestedAt ?? 0) ? row.value : null;
  const task = (isFollowed && (tracking?.tasks[0] ?? heard)) || newest?.task;
  const finished = isFollowed && task && isFinished(task.status) ? task.task_id : null;
  const tellFinished = useEffectEvent(() => task && onFinished(task));
  useEffect(() => {
    if (finished === null) return;
    void read();
    tellFinished();
  }, [finished, read]);
  return { known: newest && task ? { ...newest, task } : null, read };
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
  const { known, read } = useKnown(pinId, ({ status }) => {
    reloadCredits();
    if (status !== "SUCCESS") return;
    onChanged();
    // Its Undo stands in the details, where this is seen.
    showToast("The new picture is there", { hasCheck: true });
  });
  const { warning, start, cancel } = useAsking(pinId, known, async () => {
    await read();
    void reloadCredits();
  });

  const undo = async () => {
    const answer = await callAction(undoRemakeAction({ pinId }));
    if (answer.ok) showToast("The picture before is back", { hasCheck: true });
    else notice.error(answer.text);
    await read();
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

/** The new picture on its way; the old one stays in view beside it. */
function Running({ task, remake }: { task: TaskWire; remake: Remake }) {
  return (
    <div className={cn("grid gap-3 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)] text-sm")}>
      <p role="status" tabIndex={-1}>
        <b className="font-semibold">{STAGE_LABELS[task.stage]}</b>: a new picture. The old one stays until it is there.
      </p>
      <ProgressBar label="New picture" value={task.progress_percentage} />
      {task.status === "PENDING" && (
        <Button size="sm" variant="quiet" className="justify-self-start" isBusy={remake.isBusy} onClick={remake.cancel}>
          Cancel, for the credits back
        </Button>
      )}
    </div>
  );
}

type ChoiceProps = { post: PostWire; remake: Remake; onDone: () => void };

/** What it costs, before anything is reserved. */
function Choice({ post, remake, onDone }: ChoiceProps) {
  const { availableCredits } = useCredits();
  const [quality, setQuality] = useState<Quality>("standard");
  const cost = COST_CREDITS[quality];
  return (
    <div className="grid gap-3 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)]">
      <Segment label="Quality of the new picture" options={QUALITIES} value={quality} onChange={setQuality} />
      <p className="text-sm text-ink-3 num">
        It costs {credits(cost)}; you have {formatCount(availableCredits)}. They come back if no picture can be made.
        {post.template_id !== null && " The template comes off with the old picture."}
      </p>
      {remake.warning && (
        <Banner
          tone="low"
          isAnnounced
          action={
            <LinkButton size="sm" href="/app/buy-credits">
              Buy More Credits
            </LinkButton>
          }
        >
          {remake.warning}
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          size="sm"
          isBusy={remake.isBusy}
          onClick={async () => {
            if (await remake.start(quality)) onDone();
          }}
        >
          Make it for {credits(cost)}
        </Button>
        <Button variant="quiet" size="sm" onClick={onDone}>
          Keep the picture
        </Button>
      </div>
    </div>
  );
}

type OfferProps = { remake: Remake; onOpen: () => void };

/** What came of the last one, and the way to another. */
function Offer({ remake, onOpen }: OfferProps) {
  const { known } = remake;
  return (
    <div className="grid gap-2.5">
      {known?.task.status === "FAILURE" && known.task.reason !== undefined && (
        <Banner tone="failed" isAnnounced>
          No new picture: {known.task.reason} The credits are back.
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={onOpen}>
          <ImagePlus aria-hidden="true" />
          Make a new picture
        </Button>
        {known?.can_undo && (
          <Button size="sm" variant="quiet" isBusy={remake.isBusy} onClick={remake.undo}>
            <Undo2 aria-hidden="true" />
            Bring the picture before back
          </Button>
        )}
      </div>
    </div>
  );
}

type RemakePictureProps = { post: PostWire; onChanged: () => void };

/** A new picture for a draft or failed pin, in Pin Details: its cost first, then its way, then one Undo. */
export function RemakePicture({ post, onChanged }: RemakePictureProps) {
  const remake = useRemake(post.id, onChanged);
  const [isOpen, setOpen] = useState(false);
  const { known, isRunning } = remake;
  const task = isRunning ? known?.task : undefined;
  const shown = task ? "running" : isOpen ? "choice" : "offer";
  const place = useFocusInPlace<HTMLDivElement>(`${shown} ${known?.can_undo ?? false}`);
  if (!mayBeRemade({ status: post.status, mayBePublished: post.may_be_published })) return null;
  return (
    <div ref={place} className="contents">
      {task && <Running task={task} remake={remake} />}
      {shown === "choice" && <Choice post={post} remake={remake} onDone={() => setOpen(false)} />}
      {shown === "offer" && <Offer remake={remake} onOpen={() => setOpen(true)} />}
    </div>
  );
}
