import "server-only";
import type { Ctx } from "#lib/context.ts";
import { IMAGE_PATH } from "#lib/features/pins/constants.ts";
import { STAGE_LABELS, type StageCode } from "./constants.ts";
import { estimateSeconds, isFinished, overallPercent, stageOf, taskPercent } from "./policy.ts";
import type { Task, TrackedGroup } from "./queries.ts";
import type { StartWire, TaskWire, TrackingWire } from "./schema.ts";
import type { StartResult } from "./start-generation.ts";

/** R-ENT-08 */
export const toStartWire = (result: StartResult): StartWire =>
  result.kind === "started"
    ? { total_tasks: result.totalTasks, group_id: result.groupId, warning: result.warning }
    : { total_tasks: 0, group_id: null, warning: result.warning };

/** R-TRK-14. The reason of a passing problem is not shown: the task may yet succeed. */
export const toTaskWire = (task: Task): TaskWire => ({
  task_id: task.id,
  id: task.id,
  status: task.status,
  stage: stageOf(task),
  keyword: task.keyword,
  title: task.title,
  description: task.description,
  image_url: task.imageKey && `${IMAGE_PATH}${task.imageKey}`,
  url: task.url,
  progress_percentage: taskPercent(task),
  hasTitle: task.title !== null,
  hasDescription: task.description !== null,
  hasImage: task.imageKey !== null,
  ...(task.status === "FAILURE" && task.reason !== null && { reason: task.reason }),
});

/** What a user took back has not failed. */
const FAILED: ReadonlySet<StageCode> = new Set(["FAILURE", "ERROR"]);

const countStages = (tasks: readonly TaskWire[]): TrackingWire["stage_counts"] => {
  const counts = Object.keys(STAGE_LABELS).map((code) => [
    code.toLowerCase(),
    tasks.filter((task) => task.stage === code).length,
  ]);
  // The keys are those of STAGE_LABELS in lower case; `Object.fromEntries` forgets that.
  return {
    ...(Object.fromEntries(counts) as Record<Lowercase<StageCode>, number>),
    failed: tasks.filter((task) => FAILED.has(task.stage)).length,
  };
};

const latestOf = (dates: readonly (Date | null)[]): Date | null => {
  const known = dates.flatMap((at) => (at ? [at.getTime()] : []));
  return known.length === 0 ? null : new Date(Math.max(...known));
};

const firstOf = (dates: readonly (Date | null)[]): Date | null => {
  const known = dates.flatMap((at) => (at ? [at.getTime()] : []));
  return known.length === 0 ? null : new Date(Math.min(...known));
};

const estimateOf = ({ tasks, pace }: TrackedGroup, remainingTasks: number, ctx: Ctx): number | null =>
  pace &&
  estimateSeconds({
    ...pace,
    quality: tasks[0]?.quality ?? "standard",
    remainingTasks,
    places: ctx.settings.imageConcurrency,
    latestAt: latestOf([
      firstOf(tasks.map(({ startedAt }) => startedAt)),
      ...tasks.map(({ status, finishedAt }) => (status === "SUCCESS" ? finishedAt : null)),
    ]),
    now: new Date(pace.nowMs),
  });

/** R-TRK-13 */
export const toTrackingWire = (tracked: TrackedGroup, ctx: Ctx): TrackingWire => {
  const { tasks } = tracked;
  const wires = tasks.map(toTaskWire);
  const completed = tasks.filter((task) => isFinished(task.status)).length;
  return {
    total_tasks: tasks.length,
    completed_tasks: completed,
    progress_percentage: overallPercent(wires.map((wire) => wire.progress_percentage)),
    tasks: wires,
    stage_counts: countStages(wires),
    estimated_time_remaining: estimateOf(tracked, tasks.length - completed, ctx),
  };
};
