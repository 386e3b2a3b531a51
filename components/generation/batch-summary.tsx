import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { taskName } from "#lib/features/generation/policy.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";

type BatchSummaryProps = {
  /** In the order in which they were typed. */
  tasks: readonly TaskWire[];
  isComplete: boolean;
  warning: string | null;
  postsPath: string;
  onAnother: () => void;
};

function TaskMark({ task }: { task: TaskWire }) {
  if (task.status === "SUCCESS") return <Check aria-label="Complete" role="img" className="text-[var(--published)]" />;
  if (task.status === "FAILURE" || task.status === "REVOKED") {
    return <TriangleAlert aria-label="Failed" role="img" className="text-[var(--failed)]" />;
  }
  return <span />;
}

/** What is being made, beside the progress; the Generate button is gone (R-TRK-01). */
export function BatchSummary({ tasks, isComplete, warning, postsPath, onAnother }: BatchSummaryProps) {
  return (
    <section className="card creator-form" aria-labelledby="batch">
      <h2 className="title-3" id="batch">
        This batch
      </h2>
      {warning && <Banner tone="low">{warning}</Banner>}
      <ol className="batch-list num">
        {tasks.map((task, at) => (
          <li key={task.task_id}>
            <span className="text-xs text-ink-3">{at + 1}</span>
            <span>
              {taskName(task)}
              {task.url && <small>{task.url.replace(/^https?:\/\//, "")}</small>}
            </span>
            <TaskMark task={task} />
          </li>
        ))}
      </ol>
      {isComplete && (
        <div className="grid gap-2">
          <LinkButton variant="primary" href={postsPath}>
            Choose and schedule
          </LinkButton>
          <Button onClick={onAnother}>Make another batch</Button>
        </div>
      )}
    </section>
  );
}
