import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace, PinOutline, PinSheet } from "#components/pins/pin-face.tsx";
import { cn } from "#components/ui/cn.ts";
import { STAGE_LABELS } from "#lib/features/generation/constants.ts";
import { taskName } from "#lib/features/generation/policy.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";

const FAILED = ["FAILURE", "REVOKED"];

function Gauge({ percent }: { percent: number }) {
  return (
    <span className="task-gauge">
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}

function TaskPicture({ task }: { task: TaskWire }) {
  const isDone = task.status === "SUCCESS";
  if (task.image_url) {
    return (
      <Pin state="draft" hasTack={isDone}>
        <PinFace src={task.image_url} alt="" hasJustDeveloped isEager />
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
      <PinSheet>
        <span className="task-sheet">
          {task.description && <span>{task.description}</span>}
          {task.title && <b>{task.title}</b>}
        </span>
        <Gauge percent={task.progress_percentage} />
      </PinSheet>
    </Pin>
  );
}

/** One task on the board: an outline, a sheet with its words, then the picture. */
export function TaskPin({ task }: { task: TaskWire }) {
  const isDone = task.status === "SUCCESS";
  const hasFailed = FAILED.includes(task.status);
  return (
    <li className={cn("min-w-0", isDone && "task-done", hasFailed && "task-failed")}>
      <TaskPicture task={task} />
      <div className="task-label">
        <b>
          {isDone && <Check aria-hidden="true" size={13} strokeWidth={2.4} />}
          {hasFailed && <TriangleAlert aria-hidden="true" size={13} strokeWidth={2.4} />}
          {STAGE_LABELS[task.stage]}
        </b>
        <span title={taskName(task)}>{taskName(task)}</span>
      </div>
    </li>
  );
}
