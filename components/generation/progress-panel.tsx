import { CancelGeneration } from "#components/generation/cancel-generation.tsx";
import { Needles } from "#components/generation/needles.tsx";
import { StageCounts } from "#components/generation/stage-counts.tsx";
import { TaskPin } from "#components/generation/task-pin.tsx";
import { Board } from "#components/pins/board.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { taskName, toProgressView } from "#lib/features/generation/policy.ts";
import type { TrackingWire } from "#lib/features/generation/schema.ts";

const HEADING = "progress";

type ProgressPanelProps = {
  groupId: string;
  tracking: TrackingWire;
  quality: "high" | "standard";
  /** Tracking broke off; what was seen last stays in view. */
  problem: string | null;
  onResume: () => void;
  onCancelled: () => void;
};

/** What a person must know in words: done, failed and why, or that tracking broke off. */
function News({ tracking, quality, problem, onResume }: Omit<ProgressPanelProps, "groupId" | "onCancelled">) {
  const view = toProgressView(tracking, quality);
  const failures = tracking.tasks.filter((task) => task.reason !== undefined);
  return (
    <div role="status" className="grid gap-2.5 not-empty:mt-5">
      {view.completeText && <Banner tone="success">{view.completeText}</Banner>}
      {view.cancelledText && <Banner tone="plain">{view.cancelledText}</Banner>}
      {view.failedText && (
        <Banner tone="failed">
          {view.failedText} The credits came back to your balance.
          {failures.map((task) => (
            <span key={task.task_id} className="mt-1 block">
              <b className="font-semibold">{taskName(task)}</b>: {task.reason}
            </span>
          ))}
        </Banner>
      )}
      {problem && (
        <Banner
          tone="failed"
          isAnnounced
          action={
            <Button size="sm" onClick={onResume}>
              Try again
            </Button>
          }
        >
          {problem}
        </Banner>
      )}
    </div>
  );
}

/** The progress of a batch (R-TRK-01 to R-TRK-12). */
export function ProgressPanel({ groupId, tracking, quality, problem, onResume, onCancelled }: ProgressPanelProps) {
  const view = toProgressView(tracking, quality);
  return (
    <section className="card progress-panel" aria-labelledby={HEADING}>
      <h2 className="sr-only" id={HEADING} tabIndex={-1}>
        Progress
      </h2>
      <div className="progress-head">
        <p className="progress-count num">
          {view.completed}
          <small>of {view.total} finished</small>
        </p>
        <Needles bars={view.strip} />
        <p className="progress-estimate num">
          {view.estimateText && !problem && (
            <>
              <b>{view.estimateText}</b>left, about
            </>
          )}
        </p>
      </div>
      <div
        className="progress-bar"
        role="progressbar"
        aria-valuenow={view.percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label="Pins finished"
      >
        <i style={{ width: `${view.percent}%` }} />
      </div>
      <div className="progress-below">
        <StageCounts counts={tracking.stage_counts} />
        <CancelGeneration
          groupId={groupId}
          waiting={view.waiting}
          going={view.total - view.completed - view.waiting}
          focusId={HEADING}
          onCancelled={onCancelled}
        />
      </div>
      <News tracking={tracking} quality={quality} problem={problem} onResume={onResume} />
      <Board className="task-board">
        <ol className="task-grid">
          {view.tasks.map((task) => (
            <TaskPin key={task.task_id} task={task} />
          ))}
        </ol>
        {view.moreText && <p className="task-more num font-semibold">{view.moreText}</p>}
      </Board>
    </section>
  );
}
