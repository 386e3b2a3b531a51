import { formatCount } from "#lib/core/text.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { TEXTS as CREDIT_TEXTS, type PinQuality } from "#lib/features/credits/constants.ts";
import type { LeftOut } from "#lib/features/credits/schema.ts";
import { AT_REST } from "#lib/features/pins/policy.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import {
  canceledText,
  ESTIMATE_SECONDS,
  failedText,
  MIN_SECONDS,
  moreText,
  newImageText,
  RESENDS_MAX,
  SILENT_AFTER_MS,
  SILENT_MAX_MS,
  STAGE_LABELS,
  STEP_RETRIES,
  STRIP_MAX,
  type StageCode,
  SWEEPS_PER_RESTORE,
  type TaskStatus,
  TEXTS,
  UNUSABLE_TRIES,
} from "./constants.ts";
import type { TaskWire, TrackingWire } from "./schema.ts";

interface TaskProgress {
  status: TaskStatus;
  title: string | null;
  description: string | null;
  imageKey: string | null;
}

export const isFinished = (status: TaskStatus): boolean =>
  status === "SUCCESS" || status === "FAILURE" || status === "REVOKED";

export const stageOf = ({ status, title, description, imageKey }: TaskProgress): StageCode => {
  if (status !== "STARTED") return status;
  if (title === null) return "GENERATING_TITLE";
  if (description === null) return "GENERATING_DESCRIPTION";
  return imageKey === null ? "GENERATING_IMAGE" : "IMAGE_GENERATED";
};

/** The image takes longest. A finished task counts as 100 even if it failed. */
export const taskPercent = ({ status, title, description, imageKey }: TaskProgress): number => {
  if (isFinished(status)) return 100;
  if (status === "PENDING") return 0;
  return 5 + (title === null ? 0 : 15) + (description === null ? 0 : 15) + (imageKey === null ? 0 : 60);
};

/** Rounded down, so that 100 means that every task has finished. */
export const overallPercent = (taskPercents: readonly number[]): number =>
  taskPercents.length === 0
    ? 0
    : Math.min(100, Math.floor(taskPercents.reduce((sum, one) => sum + one, 0) / taskPercents.length));

export const canRegenerateImage = ({ status, mayBePublished }: { status: string; mayBePublished: boolean }): boolean =>
  AT_REST.some((one) => one === status) && !mayBePublished;

interface EstimateInput {
  quality: PinQuality;
  remainingTasks: number;
  slots: number;
  /** Null without measurements. */
  imageMs: number | null;
  /** With unfinished tasks, including this one. */
  users: number;
  othersTasks: number;
  earlierTasks: number;
  /** Of a start or success in this group; null while all tasks wait. */
  latestAt: Date | null;
  now: Date;
}

/** Waves of parallel images; slots are shared evenly between users. Null when nothing remains. */
export const estimateSeconds = (input: EstimateInput): number | null => {
  const { quality, remainingTasks, slots, imageMs, users, othersTasks, earlierTasks, latestAt, now } = input;
  if (remainingTasks === 0) return null;
  const own = remainingTasks + earlierTasks;
  const queued = own + Math.min(othersTasks, own * Math.max(0, users - 1));
  const waveSeconds = imageMs === null ? ESTIMATE_SECONDS[quality] : imageMs / SECOND_MS;
  const spentSeconds = latestAt ? Math.max(0, (now.getTime() - latestAt.getTime()) / SECOND_MS) : 0;
  return Math.max(MIN_SECONDS, Math.round(Math.ceil(queued / slots) * waveSeconds - spentSeconds));
};

const LEFT_OUT_TEXTS = {
  email_unconfirmed: CREDIT_TEXTS.confirmToUse,
  allowance_taken: CREDIT_TEXTS.allowanceTaken,
} as const satisfies Record<LeftOut, string>;

export const leftOutWarning = (start: {
  requested: number;
  started: number;
  availableCredits: number;
  costCredits: number;
  leftOut?: LeftOut | undefined;
  /** What is counted: with several pins per keyword, a keyword may be left out in part. */
  counted?: "keyword" | "pin";
}): string | null => {
  const { requested, started, availableCredits, costCredits, leftOut: reason, counted = "keyword" } = start;
  if (started === requested) return null;
  const more = reason === undefined ? "" : ` ${LEFT_OUT_TEXTS[reason]}`;
  const credits = `${formatCount(availableCredits)} credit${availableCredits === 1 ? "" : "s"}`;
  if (started === 0)
    return `You have ${credits}, but a pin at this quality costs ${costCredits}. Nothing was generated.${more}`;
  const leftOut = requested - started;
  const unit = leftOut === 1 ? `${counted} was` : `${counted}s were`;
  if (reason === "email_unconfirmed")
    return `${started} of ${requested} pins are being generated, and ${leftOut} ${unit} left out.${more}`;
  return `You have enough credits for ${started} of ${requested} pins, so ${leftOut} ${unit} left out.${more}`;
};

/** Whether a warning of {@link leftOutWarning} names a confirmed email as a way to more pins. */
export const needsConfirmation = (warning: string): boolean => warning.endsWith(LEFT_OUT_TEXTS.email_unconfirmed);

type RetryDecision = { kind: "fail" } | { kind: "retry"; afterSeconds: number };

/** Refusals and misconfiguration are final, unusable answers cost money. `attempt` counts from 0. */
export const decideRetry = (problem: AiProblem, attempt: number): RetryDecision => {
  if (problem.kind === "refused" || problem.kind === "misconfigured" || attempt >= STEP_RETRIES)
    return { kind: "fail" };
  if (problem.kind === "busy") return { kind: "retry", afterSeconds: Math.ceil(problem.retryAfterMs / SECOND_MS) };
  if (problem.kind === "later") {
    return { kind: "retry", afterSeconds: problem.retryAfterSeconds ?? Math.min(60, 2 ** (attempt + 1)) };
  }
  return attempt + 1 >= UNUSABLE_TRIES ? { kind: "fail" } : { kind: "retry", afterSeconds: 2 };
};

/** How long a task may be silent after its event was sent. `resends`: how often it was sent again. */
export const silenceAfterSending = (resends: number): number =>
  Math.min(SILENT_MAX_MS, SILENT_AFTER_MS * 2 ** (resends % SWEEPS_PER_RESTORE));

/** For unfinished tasks past their `wakeAt`. */
export const decideSweep = ({ sweeps }: { sweeps: number }): "send" | "give_up" =>
  sweeps % SWEEPS_PER_RESTORE < RESENDS_MAX ? "send" : "give_up";

type Tone = "waiting" | "working" | "done" | "failed";

const toneOf = ({ status }: TaskWire): Tone => {
  if (status === "SUCCESS") return "done";
  if (isFinished(status)) return "failed";
  return status === "PENDING" ? "waiting" : "working";
};

export const taskName = ({ keyword, title, replaces_pin_id }: TaskWire): string =>
  replaces_pin_id === undefined ? keyword : newImageText(title ?? keyword);

export interface StripBar {
  key: string;
  percent: number;
  tone: Tone;
  tasks: number;
  label: string;
}

const RANK = { waiting: 0, working: 0, done: 1, failed: 2 } as const satisfies Record<Tone, number>;

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

export const toStrip = (tasks: readonly TaskWire[]): StripBar[] => {
  const bars = Math.min(STRIP_MAX, tasks.length);
  const cut = (index: number) => Math.round((index * tasks.length) / bars);
  return Array.from({ length: bars }, (_, index) => toBar(tasks.slice(cut(index), cut(index + 1)), index));
};

/** The time left, as literal text. */
export const formatEstimate = (seconds: number): string => `${Math.floor(seconds / 60)}m ${Math.round(seconds) % 60}s`;

interface ProgressView {
  isComplete: boolean;
  percent: number;
  completed: number;
  total: number;
  completeText: string | null;
  failedText: string | null;
  canceledText: string | null;
  waiting: number;
  estimateText: string | null;
  strip: StripBar[];
  tasks: (TaskWire & { label: string; tone: Tone })[];
  moreText: string | null;
}

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
    canceledText: revoked > 0 ? canceledText(revoked) : null,
    waiting: tracking.tasks.filter(({ status }) => status === "PENDING").length,
    estimateText: isComplete ? null : formatEstimate(seconds),
    strip: toStrip(sorted),
    tasks: sorted.slice(0, STRIP_MAX).map((task) => ({ ...task, label: STAGE_LABELS[task.stage], tone: toneOf(task) })),
    moreText: sorted.length > STRIP_MAX ? moreText(sorted.length - STRIP_MAX) : null,
  };
};
