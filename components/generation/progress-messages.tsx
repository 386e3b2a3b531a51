import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { moreText, STRIP_MAX, unreadPagesText } from "#lib/features/generation/constants.ts";
import { isFinished, taskName, toProgressView } from "#lib/features/generation/policy.ts";
import type { TrackingWire } from "#lib/features/generation/schema.ts";

type ProgressMessagesProps = {
  tracking: TrackingWire;
  quality: "high" | "standard";
  /** Set when tracking failed; the last known progress stays visible. */
  problem: string | null;
  onResume: () => void;
};

/** How the batch went: what finished, failed, or was written without its page, and why. */
export function ProgressMessages({ tracking, quality, problem, onResume }: ProgressMessagesProps) {
  const view = toProgressView(tracking, quality);
  const failures = tracking.tasks.filter((task) => task.reason !== undefined);
  const based = tracking.tasks.filter(
    ({ status, page }) => page?.problem && (status === "SUCCESS" || !isFinished(status)),
  );
  // Several pins of one keyword have the same page.
  const unread = [...new Map(based.map((task) => [`${task.url} ${task.keyword}`, task])).values()];
  return (
    <div role="status" className="grid gap-2.5 not-empty:mt-5">
      {view.completeText && <Banner tone="success">{view.completeText}</Banner>}
      {view.canceledText && <Banner tone="plain">{view.canceledText}</Banner>}
      {view.failedText && (
        <Banner tone="failed">
          {view.failedText} Your credits were returned.
          {failures.map((task) => (
            <span key={task.task_id} className="mt-1 block">
              <b className="font-semibold">{taskName(task)}</b>: {task.reason}
            </span>
          ))}
        </Banner>
      )}
      {unread.length > 0 && (
        <Banner tone="low">
          {unreadPagesText(unread.length)}
          {unread.slice(0, STRIP_MAX).map((task) => (
            <span key={task.task_id} className="mt-1 block">
              <b className="font-semibold">{taskName(task)}</b>: {task.page?.problem}
            </span>
          ))}
          {unread.length > STRIP_MAX && <span className="mt-1 block">{moreText(unread.length - STRIP_MAX)}</span>}
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
