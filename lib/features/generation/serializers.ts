import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toPageWire } from "#lib/features/pages/policy.ts";
import { pageSummary } from "#lib/features/pages/schema.ts";
import { signedImageUrl } from "#lib/features/pins/image-urls.ts";
import { STAGE_LABELS, type StageCode } from "./constants.ts";
import type { StartResult } from "./groups.ts";
import { estimateSeconds, isFinished, overallPercent, stageOf, taskPercent } from "./policy.ts";
import type { TrackedGroup, TrackedTask } from "./queries.ts";
import type { StartWire, TaskWire, TrackingWire } from "./schema.ts";

export const toStartWire = (result: StartResult): StartWire =>
  result.kind === "started"
    ? { total_tasks: result.totalTasks, group_id: result.groupId, warning: result.warning }
    : { total_tasks: 0, group_id: null, warning: result.warning };

/** Nothing without a page, and for a summary of another release. */
const pageOf = ({ page }: TrackedTask): Pick<TaskWire, "page"> => {
  if (page === null) return {};
  const summary = pageSummary.safeParse(page).data;
  return summary ? { page: toPageWire(summary) } : {};
};

/** A temporary problem's reason is left out, because the task may still succeed. */
export const toTaskWire = (ctx: Ctx, task: TrackedTask): TaskWire => ({
  task_id: task.id,
  id: task.id,
  status: task.status,
  stage: stageOf(task),
  keyword: task.keyword,
  title: task.title,
  description: task.description,
  image_url: task.imageKey && signedImageUrl(ctx, task.imageKey),
  url: task.url,
  progress_percentage: taskPercent(task),
  hasTitle: task.title !== null,
  hasDescription: task.description !== null,
  hasImage: task.imageKey !== null,
  ...(task.replacesPinId !== null && { replaces_pin_id: task.replacesPinId }),
  ...(task.status === "FAILURE" && task.reason !== null && { reason: task.reason }),
  ...pageOf(task),
});

/** Canceled tasks (`REVOKED`) do not count as failed. */
const FAILED: ReadonlySet<StageCode> = new Set(["FAILURE", "ERROR"]);

type StageCounts = TrackingWire["stage_counts"];

const COUNT_NAMES = Object.keys(STAGE_LABELS).map((code) => [code, code.toLowerCase()] as const);
const COUNT_NAME = Object.fromEntries(COUNT_NAMES) as Record<StageCode, Lowercase<StageCode>>;
const NO_COUNTS = Object.fromEntries(COUNT_NAMES.map(([, name]) => [name, 0])) as Omit<StageCounts, "failed">;

const countStages = (tasks: readonly TaskWire[]): StageCounts => {
  const counts: StageCounts = { ...NO_COUNTS, failed: 0 };
  for (const { stage } of tasks) {
    counts[COUNT_NAME[stage]] += 1;
    if (FAILED.has(stage)) counts.failed += 1;
  }
  return counts;
};

const estimateOf = ({ pace }: TrackedGroup, remainingTasks: number, ctx: Ctx): number | null =>
  pace &&
  estimateSeconds({
    ...pace,
    remainingTasks,
    slots: ctx.settings.imageConcurrency,
    latestAt: pace.latestMs === null ? null : new Date(pace.latestMs),
    now: new Date(pace.nowMs),
  });

export const toTrackingWire = (tracked: TrackedGroup, ctx: Ctx): TrackingWire => {
  const { tasks } = tracked;
  const wires = tasks.map((task) => toTaskWire(ctx, task));
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
