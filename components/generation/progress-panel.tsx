"use client";

import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type ComponentProps, useEffect, useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { Board, Pin, PinButton, PinFace, PinOutline, PinPaper } from "#components/shared/pin.tsx";
import { ProgressBar } from "#components/shared/progress-bar.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { cancelGenerationAction } from "#lib/features/generation/actions.ts";
import { canceledText, STAGE_LABELS, type StageCode, TEXTS } from "#lib/features/generation/constants.ts";
import { type StripBar, taskName, toProgressView } from "#lib/features/generation/policy.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import { ProgressMessages } from "./progress-messages.tsx";

/** Fills of finished bars. Running ones use `bg-growing`. */
const TONES: Record<string, string> = {
  done: "bg-published",
  failed:
    "bg-[repeating-linear-gradient(135deg,var(--failed)_0_4px,color-mix(in_oklab,var(--failed)_74%,var(--surface))_4px_8px)]",
};

/** One bar per task, or ten bars for larger groups. */
function ProgressStrip({ bars }: { bars: readonly StripBar[] }) {
  return (
    <div
      className={cn(
        "grid grid-flow-col auto-cols-[11px] gap-[9px] h-14.5 ml-auto",
        "@max-[680px]/progress:order-3 @max-[680px]/progress:w-full @max-[680px]/progress:h-10.5",
        "@max-[680px]/progress:auto-cols-fr @max-[680px]/progress:gap-[5px]",
      )}
      role="img"
      aria-label={bars.map(({ label }) => label).join("; ")}
    >
      {bars.map((bar) => (
        <span
          key={bar.key}
          data-slot="strip-bar"
          className={cn(
            "relative overflow-hidden rounded-[5px_5px_1px_1px] bg-well shadow-[inset_0_0_0_1px_var(--line)]",
          )}
          title={bar.label}
        >
          <i
            className={cn(
              "absolute inset-x-0 bottom-0 transition-[height] duration-(--dur-panel) ease-out",
              TONES[bar.tone] ?? "bg-growing",
            )}
            style={{ height: `${bar.percent}%` }}
          />
        </span>
      ))}
    </div>
  );
}

/** Stages in order. The three failure stages are counted together. */
const ORDER: StageCode[] = [
  "PENDING",
  "GENERATING_TITLE",
  "TITLE_GENERATED",
  "GENERATING_DESCRIPTION",
  "DESCRIPTION_GENERATED",
  "GENERATING_IMAGE",
  "IMAGE_GENERATED",
  "RETRY",
  "SUCCESS",
];

const MARKS: Partial<Record<StageCode, string>> = { PENDING: "bg-line-2", SUCCESS: "bg-published" };

const wireKey = (code: StageCode): Lowercase<StageCode> =>
  // The wire uses the stage codes in lower case as keys.
  code.toLowerCase() as Lowercase<StageCode>;

/** Tasks per stage, without empty stages. The label of revoked tasks is 'Failed', too. */
function StageCounts({ counts }: { counts: TrackingWire["stage_counts"] }) {
  const failed = counts.failed + (counts.revoked || 0);
  return (
    <ul
      className={cn(
        "flex flex-wrap gap-y-1.5 gap-x-5 min-h-5 text-xs text-ink-2",
        "[&_li]:flex [&_li]:items-center [&_li]:gap-1.5 [&_b]:font-semibold [&_b]:text-ink",
        "num",
      )}
    >
      {ORDER.filter((code) => counts[wireKey(code)] > 0).map((code) => (
        <li key={code}>
          <i aria-hidden="true" className={cn("size-2 rounded-full", MARKS[code] ?? "bg-growing")} />
          {STAGE_LABELS[code]} <b>{counts[wireKey(code)]}</b>
        </li>
      ))}
      {failed > 0 && (
        <li>
          <i aria-hidden="true" className="size-2 rounded-[2px] bg-failed" />
          {STAGE_LABELS.FAILURE} <b>{failed}</b>
        </li>
      )}
    </ul>
  );
}

const FAILED = ["FAILURE", "REVOKED"];

/** A title is enough: the preview fills in. */
export const hasPreview = ({ status, title }: TaskWire): boolean => title !== null && !FAILED.includes(status);

function Gauge({ percent }: { percent: number }) {
  return (
    <span
      className={cn(
        "absolute left-2.5 right-2.5 bottom-2.5 h-[5px] overflow-hidden rounded-[3px] bg-(--paper-0)",
        "shadow-[0_0_0_1px_hsl(var(--shc)_/_0.14)]",
        "[&_i]:block [&_i]:h-full [&_i]:bg-(--green-600) [&_i]:transition-[width]",
        "[&_i]:duration-(--dur-panel) [&_i]:ease-out",
      )}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}

function TaskImage({ task }: { task: TaskWire }) {
  const isDone = task.status === "SUCCESS";
  if (task.image_url) {
    return (
      <Pin state="draft" hasTack={isDone}>
        <PinFace src={task.image_url} alt="" isJustRevealed isEager />
        {!isDone && <Gauge percent={task.progress_percentage} />}
      </Pin>
    );
  }
  if (FAILED.includes(task.status) || !(task.title || task.status === "STARTED" || task.status === "RETRY")) {
    return (
      <Pin state="draft" hasTack={false}>
        <PinOutline>{taskName(task)}</PinOutline>
      </Pin>
    );
  }
  return (
    <Pin state="draft" hasTack={false}>
      <PinPaper>
        <span
          className={cn(
            "flex flex-col justify-between gap-2 h-full pt-3.5 pb-6.5 px-3 bg-raised",
            "max-md:pt-[9px] max-md:pb-5.5 max-md:px-2",
            "[&_b]:line-clamp-4 [&_b]:flex-none [&_b]:mt-auto [&_b]:font-display [&_b]:text-[1.0625rem]/[1.1]",
            "[&_b]:font-[430] [&_b]:tracking-[-0.018em]",
            "[&>span]:flex-[0_1_auto] [&>span]:min-h-0 [&>span]:overflow-hidden",
            "[&>span]:[mask:linear-gradient(#000_calc(100%_-_14px),transparent)]",
            "[&>span]:text-[0.6875rem]/[1.45] [&>span]:text-ink-3 max-md:[&_b]:text-[0.875rem]",
            "max-md:[&>span]:text-[0.625rem]",
          )}
        >
          {task.description && <span>{task.description}</span>}
          {task.title && <b>{task.title}</b>}
        </span>
        <Gauge percent={task.progress_percentage} />
      </PinPaper>
    </Pin>
  );
}

type TaskPinProps = { task: TaskWire; onPreview: (taskId: string) => void };

/** Shows an outline first, then the text, then the image. With a title, it opens a preview. */
function TaskPin({ task, onPreview }: TaskPinProps) {
  const isDone = task.status === "SUCCESS";
  const hasFailed = FAILED.includes(task.status);
  return (
    <li className="min-w-0">
      {hasPreview(task) ? (
        <PinButton aria-label={`Preview: ${task.title}`} aria-haspopup="dialog" onClick={() => onPreview(task.task_id)}>
          <TaskImage task={task} />
        </PinButton>
      ) : (
        <TaskImage task={task} />
      )}
      <div
        className={cn(
          "relative z-1 mt-[11px] text-xs/[1.3] text-ink-2",
          "[&_b]:flex [&_b]:items-center [&_b]:gap-[5px] [&_b]:text-[0.78125rem] [&_b]:font-semibold",
          "[&_b]:tracking-[-0.01em] [&_span]:truncate [&_span]:block",
        )}
      >
        <b className={isDone ? "text-published-ink" : hasFailed ? "text-failed-ink" : "text-ink"}>
          {isDone && <Check aria-hidden="true" size={13} strokeWidth={2.4} />}
          {hasFailed && <TriangleAlert aria-hidden="true" size={13} strokeWidth={2.4} />}
          {STAGE_LABELS[task.stage]}
        </b>
        <span title={taskName(task)}>{taskName(task)}</span>
      </div>
    </li>
  );
}

type CancelGenerationProps = {
  groupId: string;
  /** Tasks that have not started and can be canceled. */
  waiting: number;
  /** Tasks that have started and will finish. */
  running: number;
  /** The element to focus when the button disappears. */
  focusId: string;
  onCanceled: () => void;
};

const pins = (count: number): string => (count === 1 ? "1 pin" : `${count} pins`);

function CancelGeneration({ groupId, waiting, running, focusId, onCanceled }: CancelGenerationProps) {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [hasCanceled, setCanceled] = useState(false);
  const hasNothingLeft = hasCanceled && waiting === 0;

  // The button disappears when nothing is left to cancel, so keyboard users need a new focus.
  useEffect(() => {
    if (hasNothingLeft) document.getElementById(focusId)?.focus();
  }, [hasNothingLeft, focusId]);

  const cancel = async () => {
    setBusy(true);
    const answer = await callAction(cancelGenerationAction({ groupId }));
    setBusy(false);
    setOpen(false);
    if (!answer.ok) return notice.error(answer.text);
    const { revokedTasks } = answer.value;
    showToast(revokedTasks === 0 ? TEXTS.nothingToCancel : canceledText(revokedTasks), { hasCheck: revokedTasks > 0 });
    setCanceled(true);
    reloadCredits();
    onCanceled();
  };

  return (
    <>
      {waiting > 0 && (
        <Button size="sm" variant="quiet" onClick={() => setOpen(true)}>
          Cancel batch
        </Button>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        question="Cancel this batch?"
        declineLabel="Keep going"
        confirmLabel="Cancel batch"
        isDangerous
        isBusy={isBusy}
        onDecline={() => setOpen(false)}
        onConfirm={cancel}
      >
        {pins(waiting)} that {waiting === 1 ? "hasn't" : "haven't"} started will be canceled, and you'll get those
        credits back.
        {running > 0 &&
          ` ${pins(running)} already in progress will still become ${running === 1 ? "a draft" : "drafts"}.`}
      </ConfirmDialog>
    </>
  );
}

const HEADING = "progress";

type ProgressPanelProps = ComponentProps<typeof ProgressMessages> & {
  groupId: string;
  onCanceled: () => void;
  onPreview: (taskId: string) => void;
};

export function ProgressPanel(props: ProgressPanelProps) {
  const { groupId, tracking, quality, problem, onResume, onCanceled, onPreview } = props;
  const view = toProgressView(tracking, quality);
  return (
    <section
      className="rounded-card bg-surface shadow-card [container:progress_/_inline-size] pt-7.5 pb-8 px-8 max-md:pt-5.5 max-md:pb-5 max-md:px-4.5"
      aria-labelledby={HEADING}
    >
      <h2 className="sr-only" id={HEADING} tabIndex={-1}>
        Progress
      </h2>
      <div className="flex items-end justify-between gap-9 @max-[680px]/progress:flex-wrap @max-[680px]/progress:gap-5">
        <p
          data-slot="progress-count"
          className={cn(
            "font-display text-[5.25rem]/[0.82] font-[340] tracking-[-0.045em] lining-nums whitespace-nowrap",
            "max-md:text-[3.75rem]",
            "[&_small]:ml-2.5 [&_small]:font-display [&_small]:text-[1.375rem]/none [&_small]:font-normal",
            "[&_small]:tracking-[-0.015em] [&_small]:text-ink-2",
            "max-md:[&_small]:ml-1.5 max-md:[&_small]:text-[1.125rem] num",
          )}
        >
          {view.completed}
          <small>of {view.total} finished</small>
        </p>
        <ProgressStrip bars={view.strip} />
        <p
          className={cn(
            "min-w-24 min-h-11 text-right text-sm/[1.45] text-ink-3",
            "[&_b]:block [&_b]:font-display [&_b]:text-[1.375rem]/[1.15] [&_b]:font-[450]",
            "[&_b]:tracking-[-0.015em] [&_b]:text-ink num",
          )}
        >
          {view.estimateText && !problem && (
            <>
              <b>{view.estimateText}</b>left (estimated)
            </>
          )}
        </p>
      </div>
      <ProgressBar label="Pins finished" value={view.percent} className="mt-6.5 mb-4.5" />
      <div className="flex items-start justify-between gap-y-3 gap-x-5 [&>button]:flex-none [&>button]:-mt-1.5">
        <StageCounts counts={tracking.stage_counts} />
        <CancelGeneration
          groupId={groupId}
          waiting={view.waiting}
          running={view.total - view.completed - view.waiting}
          focusId={HEADING}
          onCanceled={onCanceled}
        />
      </div>
      <ProgressMessages tracking={tracking} quality={quality} problem={problem} onResume={onResume} />
      <Board className="mt-6 pt-7.5 pb-6.5 px-6.5 rounded-[16px] max-md:-mx-2.5 max-md:pt-6 max-md:pb-4.5 max-md:px-3.5">
        <ol
          data-slot="task-grid"
          className={cn(
            "grid [&_.pin]:[--r-pin:11px] grid-cols-5 gap-y-7 gap-x-5 max-lg:grid-cols-4",
            "max-md:grid-cols-3 max-md:gap-y-5.5 max-md:gap-x-3",
          )}
        >
          {view.tasks.map((task) => (
            <TaskPin key={task.task_id} task={task} onPreview={onPreview} />
          ))}
        </ol>
        {view.moreText && <p className="mt-6 text-sm text-ink-2 num font-semibold">{view.moreText}</p>}
      </Board>
    </section>
  );
}
