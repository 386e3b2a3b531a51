"use client";

import ImagePlus from "lucide-react/icons/image-plus";
import Undo2 from "lucide-react/icons/undo-2";
import { useState } from "react";
import { useCredits } from "#components/credits/credits-context.tsx";
import { type Quality, type Remake, useRemake } from "#components/generation/use-remake.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { useFocusInPlace } from "#components/ui/use-focus-in-place.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { STAGE_LABELS } from "#lib/features/generation/constants.ts";
import { mayBeRemade } from "#lib/features/generation/policy.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const credits = (count: number): string => (count === 1 ? "1 credit" : `${count} credits`);

const QUALITIES = [
  { value: "high", label: `High, ${credits(COST_CREDITS.high)}` },
  { value: "standard", label: `Standard, ${credits(COST_CREDITS.standard)}` },
] as const;

/** The new picture on its way; the old one stays in view beside it. */
function Running({ task, remake }: { task: TaskWire; remake: Remake }) {
  return (
    <div className="remake-running">
      <p role="status" tabIndex={-1}>
        <b className="font-semibold">{STAGE_LABELS[task.stage]}</b>: a new picture. The old one stays until it is there.
      </p>
      <div
        className="progress-bar"
        role="progressbar"
        aria-label="New picture"
        aria-valuenow={task.progress_percentage}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${task.progress_percentage}%` }} />
      </div>
      {task.status === "PENDING" && (
        <Button size="sm" variant="quiet" isBusy={remake.isBusy} onClick={remake.cancel}>
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
    <div className="remake-choice">
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
