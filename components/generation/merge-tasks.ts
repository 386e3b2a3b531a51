import type { LiveRows } from "#lib/client/live-cache.ts";
import { isFinished, overallPercent } from "#lib/features/generation/policy.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

/** As on the server, canceled tasks do not count as failed. */
const FAILED = new Set(["FAILURE", "ERROR"]);

const recount = (counts: TrackingWire["stage_counts"], tasks: readonly TaskWire[]): TrackingWire["stage_counts"] => {
  const recounted = Object.keys(counts).map((name) => [
    name,
    tasks.filter(({ stage }) => (name === "failed" ? FAILED.has(stage) : stage.toLowerCase() === name)).length,
  ]);
  // The cast restores the key types that `Object.fromEntries` loses.
  return Object.fromEntries(recounted) as TrackingWire["stage_counts"];
};

/**
 * Merges tasks from the live stream into a tracking answer that was requested at `requestedAt`. The estimate stays the
 * server's, and is null once all tasks have finished.
 */
export const mergeTasks = (tracking: TrackingWire, requestedAt: number, rows: LiveRows<TaskWire>): TrackingWire => {
  const fresher = ({ task_id }: TaskWire): TaskWire | null => {
    const row = rows.get(task_id);
    return row && row.at > requestedAt ? row.value : null;
  };
  if (!tracking.tasks.some(fresher)) return tracking;
  const tasks = tracking.tasks.map((task) => fresher(task) ?? task);
  const completed = tasks.filter(({ status }) => isFinished(status)).length;
  return {
    ...tracking,
    tasks,
    completed_tasks: completed,
    progress_percentage: overallPercent(tasks.map((task) => task.progress_percentage)),
    stage_counts: recount(tracking.stage_counts, tasks),
    estimated_time_remaining: completed >= tracking.total_tasks ? null : tracking.estimated_time_remaining,
  };
};
