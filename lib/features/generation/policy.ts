import { formatCount } from "#lib/core/text.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PinQuality } from "#lib/features/credits/constants.ts";
import { AT_REST } from "#lib/features/pins/policy.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import {
  cancelledText,
  ESTIMATE_SECONDS,
  failedText,
  LEAST_SECONDS,
  moreText,
  newPictureText,
  RESENDS_MAX,
  STAGE_LABELS,
  STEP_RETRIES,
  STRIP_MAX,
  type StageCode,
  SWEEPS_PER_LIFE,
  type TaskStatus,
  TEXTS,
  UNUSABLE_TRIES,
} from "./constants.ts";
import type { TaskWire, TrackingWire } from "./schema.ts";

// What the server decides.

/** What a task has so far. */
export interface TaskProgress {
  status: TaskStatus;
  title: string | null;
  description: string | null;
  imageKey: string | null;
}

/** Whether nothing more will happen to a task. */
export const isFinished = (status: TaskStatus): boolean =>
  status === "SUCCESS" || status === "FAILURE" || status === "REVOKED";

/** The stage shown: the next missing thing in the order title, description, image (DESIGN §5.2, R-TRK-12). */
export const stageOf = ({ status, title, description, imageKey }: TaskProgress): StageCode => {
  if (status !== "STARTED") return status;
  if (title === null) return "GENERATING_TITLE";
  if (description === null) return "GENERATING_DESCRIPTION";
  return imageKey === null ? "GENERATING_IMAGE" : "IMAGE_GENERATED";
};

/** Percent of a task: the picture is what takes long. A finished one counts as 100, however it ended. */
export const taskPercent = ({ status, title, description, imageKey }: TaskProgress): number => {
  if (isFinished(status)) return 100;
  if (status === "PENDING") return 0;
  return 5 + (title === null ? 0 : 15) + (description === null ? 0 : 15) + (imageKey === null ? 0 : 60);
};

/** Percent of the whole, 100 only when every task has finished. */
export const overallPercent = (taskPercents: readonly number[]): number =>
  taskPercents.length === 0
    ? 0
    : Math.min(100, Math.floor(taskPercents.reduce((sum, one) => sum + one, 0) / taskPercents.length));

/** Whether a pin may get a new picture or new words: nothing of it is on its way to Pinterest, or may be there. */
export const mayBeRemade = ({ status, mayBePublished }: { status: string; mayBePublished: boolean }): boolean =>
  AT_REST.some((one) => one === status) && !mayBePublished;

interface Outlook {
  quality: PinQuality;
  remainingTasks: number;
  /** Pictures that may be drawn at the same time. */
  places: number;
  /** As measured; null while nothing is. */
  drawingMs: number | null;
  /** Users at work, and what they and this user's earlier groups have in line. */
  users: number;
  othersTasks: number;
  earlierTasks: number;
  /** When the last thing happened in this group: its start, or a success; null while all wait. */
  latestAt: Date | null;
  now: Date;
}

/**
 * Seconds until the last pin is done: so many waves of pictures drawn side by side, each as long as measured, or as
 * R-TRK-07 says while nothing is. Places are shared evenly, so that others' pins count no more than as many as one's
 * own for each of them. Null when nothing remains; never below five seconds while something does.
 */
export const estimateSeconds = (outlook: Outlook): number | null => {
  const { quality, remainingTasks, places, drawingMs, users, othersTasks, earlierTasks, latestAt, now } = outlook;
  if (remainingTasks === 0) return null;
  const own = remainingTasks + earlierTasks;
  const line = own + Math.min(othersTasks, own * Math.max(0, users - 1));
  const waveSeconds = drawingMs === null ? ESTIMATE_SECONDS[quality] : drawingMs / SECOND_MS;
  const spentSeconds = latestAt ? Math.max(0, (now.getTime() - latestAt.getTime()) / SECOND_MS) : 0;
  return Math.max(LEAST_SECONDS, Math.round(Math.ceil(line / places) * waveSeconds - spentSeconds));
};

/** R-SRV-02: what the user reads when not every keyword was affordable; null when all were. */
export const leftOutWarning = (start: {
  asked: number;
  started: number;
  availableCredits: number;
  costCredits: number;
}): string | null => {
  const { asked, started, availableCredits, costCredits } = start;
  if (started === asked) return null;
  const cost = `one pin of this quality costs ${costCredits} credit${costCredits === 1 ? "" : "s"}`;
  const have = `you have ${formatCount(availableCredits)} credit${availableCredits === 1 ? "" : "s"}`;
  if (started === 0) return `No pins were started: ${have}, and ${cost}.`;
  const leftOut = asked - started;
  const keywords = leftOut === 1 ? "keyword was" : "keywords were";
  return `Your credits cover ${started} of ${asked} pins; ${leftOut} ${keywords} left out (${have}, and ${cost}).`;
};

export type RetryDecision = { kind: "fail" } | { kind: "retry"; afterSeconds: number };

/**
 * What follows from a problem with a model at the n-th try (counting from 0): refusals and our own mistakes are
 * final, unusable answers are tried again a few times, the rest waits as the provider asks or longer each time
 * (R-SRV-04).
 */
export const decideRetry = (problem: AiProblem, attempt: number): RetryDecision => {
  if (problem.kind === "refused" || problem.kind === "misconfigured" || attempt >= STEP_RETRIES)
    return { kind: "fail" };
  if (problem.kind === "busy") return { kind: "retry", afterSeconds: Math.ceil(problem.retryAfterMs / SECOND_MS) };
  if (problem.kind === "later") {
    return { kind: "retry", afterSeconds: problem.retryAfterSeconds ?? Math.min(60, 2 ** (attempt + 1)) };
  }
  return attempt + 1 >= UNUSABLE_TRIES ? { kind: "fail" } : { kind: "retry", afterSeconds: 2 };
};

/** What the sweep does with an unfinished task that is past its `wakeAt` (DESIGN §5.6). */
export const decideSweep = ({ sweeps }: { sweeps: number }): "send" | "give_up" =>
  sweeps % SWEEPS_PER_LIFE < RESENDS_MAX ? "send" : "give_up";

// What the screen shows.

export type Tone = "waiting" | "working" | "done" | "failed";

const toneOf = ({ status }: TaskWire): Tone => {
  if (status === "SUCCESS") return "done";
  if (isFinished(status)) return "failed";
  return status === "PENDING" ? "waiting" : "working";
};

/** What a person calls a task: its keyword, or the pin whose picture it makes anew. */
export const taskName = ({ keyword, title, replaces_pin_id }: TaskWire): string =>
  replaces_pin_id === undefined ? keyword : newPictureText(title ?? keyword);

/** One bar of the strip: a task, or the average of `tasks` of them. */
export interface StripBar {
  key: string;
  percent: number;
  tone: Tone;
  tasks: number;
  label: string;
}

const RANK = { waiting: 0, working: 0, done: 1, failed: 2 } as const satisfies Record<Tone, number>;

/** Unfinished in start order, then successes, then failures (R-TRK-11, A-33). */
export const sortTasks = (tasks: readonly TaskWire[]): TaskWire[] =>
  tasks.toSorted((a, b) => RANK[toneOf(a)] - RANK[toneOf(b)]);

const groupTone = (tasks: readonly TaskWire[]): Tone => {
  const tones = new Set(tasks.map(toneOf));
  if (tones.size === 1) return [...tones][0] ?? "waiting";
  return tones.has("working") || tones.has("waiting") ? "working" : "failed";
};

const toBar = (tasks: readonly TaskWire[], index: number): StripBar => {
  const [first] = tasks;
  const percent = overallPercent(tasks.map((task) => task.progress_percentage));
  const label =
    first && tasks.length === 1 ? `${taskName(first)}: ${STAGE_LABELS[first.stage]}` : `${tasks.length} pins`;
  return { key: String(index), percent, tone: groupTone(tasks), tasks: tasks.length, label };
};

/** Up to ten bars: one per task, else ten aggregates of nearly equal size (R-TRK-09, R-TRK-10, R-CONST-13). */
export const toStrip = (tasks: readonly TaskWire[]): StripBar[] => {
  const bars = Math.min(STRIP_MAX, tasks.length);
  const cut = (index: number) => Math.round((index * tasks.length) / bars);
  return Array.from({ length: bars }, (_, index) => toBar(tasks.slice(cut(index), cut(index + 1)), index));
};

/** '{m}m {s}s'. */
export const formatEstimate = (seconds: number): string => `${Math.floor(seconds / 60)}m ${Math.round(seconds) % 60}s`;

export interface ProgressView {
  isComplete: boolean;
  percent: number;
  completed: number;
  total: number;
  /** 'Pin generation complete!' once it is (R-TRK-04). */
  completeText: string | null;
  failedText: string | null;
  /** What the user took back; null when nothing. */
  cancelledText: string | null;
  /** Tasks that could still be taken back. */
  waiting: number;
  /** '{m}m {s}s'; null when nothing remains. */
  estimateText: string | null;
  strip: StripBar[];
  /** The first ten after sorting, each with its stage's label. */
  tasks: (TaskWire & { label: string; tone: Tone })[];
  moreText: string | null;
}

/** Everything the progress panel draws, from one tracking answer (R-TRK-04 to R-TRK-11). */
export const toProgressView = (tracking: TrackingWire, quality: PinQuality): ProgressView => {
  const { total_tasks: total, completed_tasks: completed } = tracking;
  const isComplete = completed >= total;
  const sorted = sortTasks(tracking.tasks);
  const failed = tracking.stage_counts.failed;
  const revoked = tracking.tasks.filter(({ status }) => status === "REVOKED").length;
  const seconds = tracking.estimated_time_remaining ?? (total - completed) * ESTIMATE_SECONDS[quality];
  return {
    isComplete,
    percent: Math.min(100, Math.max(0, tracking.progress_percentage)),
    completed,
    total,
    completeText: isComplete ? TEXTS.complete : null,
    failedText: failed > 0 ? failedText(failed) : null,
    cancelledText: revoked > 0 ? cancelledText(revoked) : null,
    waiting: tracking.tasks.filter(({ status }) => status === "PENDING").length,
    estimateText: isComplete ? null : formatEstimate(seconds),
    strip: toStrip(sorted),
    tasks: sorted.slice(0, STRIP_MAX).map((task) => ({ ...task, label: STAGE_LABELS[task.stage], tone: toneOf(task) })),
    moreText: sorted.length > STRIP_MAX ? moreText(sorted.length - STRIP_MAX) : null,
  };
};
