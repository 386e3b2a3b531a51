import { and, inArray, ne } from "drizzle-orm";
import { publishAttempts } from "#db/schema/publishing.ts";
import { CALL_LEASE_MS, FIRST_CHECK_DELAY_MS, SECOND_CHECK_DELAY_MS } from "#lib/features/publishing/constants.ts";
import { delay } from "./bounded.ts";
import { type PinRequest, reading, readPins, readTasks } from "./requests.ts";
import type { TestStack } from "./stack.ts";

/** The progress of a set of requests. */
interface Progress {
  /** Descriptions of what has not ended. */
  open: string[];
  /** Changes whenever anything happens. */
  mark: string;
  /** When something is scheduled to happen next, according to the rows. */
  nextAt: Date | null;
  /** Whether everything open only waits for its scheduled time. */
  isEarly: boolean;
  /** Calls without a response so far. */
  unanswered: string[];
}

/** `movedMs`: how far the clocks were advanced. */
export interface Settled {
  isSettled: boolean;
  tookMs: number;
  movedMs: number;
  open: string[];
}

/** After this long without activity, everything sleeps. Longer than the sweep interval, and more on slow machines. */
const QUIET_MS = 1_300;
const QUIET_POLLS = 15;
const MAX_QUIET_MS = 6_000;
/** The same when rows name the next due time. */
const SHORT_QUIET_MS = 350;
/** A call without a response counts as dead after this time with nothing in flight. */
const DEAD_CALL_MS = 3_000;
/** How far to advance when rows name no due time: the sweep interval, then retry delays and leases. */
const STEPS_MS = [61_000, 61_000, 125_000, 305_000, 305_000, 905_000];
const TICK_MS = 100;

/** Waits until each task has ended, advancing the clocks while everything sleeps. */
export const settleGeneration = (
  stack: TestStack,
  pinRequests: readonly PinRequest[],
  deadlineAt: number,
): Promise<Settled> => waitUntilSettled(stack, () => generationProgress(stack, pinRequests), deadlineAt);

/** The same for pins: until each is published or failed. */
export const settlePublishing = (
  stack: TestStack,
  pinRequests: readonly PinRequest[],
  deadlineAt: number,
): Promise<Settled> => waitUntilSettled(stack, () => publishingProgress(stack, pinRequests), deadlineAt);

async function generationProgress(stack: TestStack, pinRequests: readonly PinRequest[]): Promise<Progress> {
  const tasks = await readTasks(stack, pinRequests);
  const open = tasks.filter(({ finishedAt }) => finishedAt === null);
  const facts = tasks.map((task) => [task.id, task.status, task.title, task.imageKey, task.sweeps, task.sentAt]);
  return {
    open: open.map(
      ({ id, status, sweeps, wakeAt }) => `task ${id} ${status}, sweeps ${sweeps}, wakes at ${iso(wakeAt)}`,
    ),
    mark: JSON.stringify(facts),
    nextAt: null,
    isEarly: false,
    unanswered: [],
  };
}

type Attempt = typeof publishAttempts.$inferSelect;

/** When an open attempt is checked next, by publishing's delays. */
const nextBoardCheckAt = (attempt: Attempt): Date => {
  if (attempt.boardCheckedAt) return new Date(attempt.boardCheckedAt.getTime() + SECOND_CHECK_DELAY_MS);
  if (attempt.answeredAt) return new Date(attempt.answeredAt.getTime() + FIRST_CHECK_DELAY_MS);
  return new Date((attempt.calledAt ?? attempt.armedAt).getTime() + CALL_LEASE_MS);
};

async function publishingProgress(stack: TestStack, pinRequests: readonly PinRequest[]): Promise<Progress> {
  const now = stack.clocks.now();
  const pins = await readPins(stack, pinRequests);
  const open = pins.filter(({ status }) => status === "scheduled");
  const attempts = await readOpenAttempts(
    stack,
    open.map(({ id }) => id),
  );
  const dueTimes = open.flatMap((pin) => {
    if (pin.scheduledAt && pin.scheduledAt > now) return [pin.scheduledAt];
    const attempt = attempts.find(({ pinId }) => pinId === pin.id);
    if (attempt) return [nextBoardCheckAt(attempt)];
    return pin.wakeAt && !attempt ? [pin.wakeAt] : [];
  });
  const next = dueTimes.filter((dueTime) => dueTime > now).sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    open: open.map((pin) => describePin(pin, attempts)),
    mark: JSON.stringify([pins.map((pin) => [pin.id, pin.status, pin.wakeAt, pin.sweeps, pin.failedRuns]), attempts]),
    nextAt: next ?? null,
    isEarly: open.length > 0 && open.every(({ scheduledAt }) => scheduledAt !== null && scheduledAt > now),
    unanswered: attempts.filter((item) => item.calledAt && !item.answeredAt).map(({ id }) => id),
  };
}

const readOpenAttempts = ({ ctx }: TestStack, pinIds: readonly string[]): Promise<Attempt[]> =>
  reading(() =>
    ctx.db
      .select()
      .from(publishAttempts)
      .where(and(inArray(publishAttempts.pinId, [...pinIds]), ne(publishAttempts.state, "settled"))),
  );

const iso = (dueTime: Date | null): string => dueTime?.toISOString() ?? "never";

const describePin = (pin: Awaited<ReturnType<typeof readPins>>[number], attempts: readonly Attempt[]): string => {
  const attempt = attempts.find(({ pinId }) => pinId === pin.id);
  const attemptText = attempt
    ? `attempt ${attempt.number} ${attempt.state} called ${iso(attempt.calledAt)} responded ${iso(attempt.answeredAt)} ` +
      `board checks ${attempt.boardChecks}/${attempt.failedBoardChecks}`
    : "no open attempt";
  const times = `due ${iso(pin.scheduledAt)}, wakes at ${iso(pin.wakeAt)}`;
  return `pin ${pin.id} ${pin.status} ${times}, sweeps ${pin.sweeps}, ${attemptText}, reason ${pin.reason}`;
};

async function waitUntilSettled(
  stack: TestStack,
  readProgress: () => Promise<Progress>,
  deadlineAt: number,
): Promise<Settled> {
  const beganAt = performance.now();
  const beganMs = stack.clocks.now().getTime() - Date.now();
  const clockMover = createClockMover(stack);
  let progress = await readProgress();
  while (progress.open.length > 0 && performance.now() < deadlineAt) {
    await clockMover.tick(progress);
    await delay(TICK_MS);
    const readStartedAt = performance.now();
    progress = await readProgress();
    clockMover.recordLatency(performance.now() - readStartedAt);
  }
  return {
    isSettled: progress.open.length === 0,
    tookMs: performance.now() - beganAt,
    movedMs: stack.clocks.now().getTime() - Date.now() - beganMs,
    open: progress.open,
  };
}

/** Decides when to advance the clocks: never while a call may be in flight, or its lease would expire too early. */
function createClockMover({ clocks, proxies }: TestStack) {
  let mark = "";
  let quietSince = performance.now();
  let step = 0;
  /** Smoothed response time of this machine. */
  let answerMs = 0;
  const firstSeen = new Map<string, number>();
  const isCallAlive = (unanswered: readonly string[]): boolean => {
    const nowMs = performance.now();
    for (const id of unanswered) if (!firstSeen.has(id)) firstSeen.set(id, nowMs);
    return unanswered.some((id) => nowMs - (firstSeen.get(id) ?? nowMs) < DEAD_CALL_MS);
  };
  const pass = async (ms: number) => {
    await clocks.pass(ms);
    quietSince = performance.now();
  };
  return {
    recordLatency(tookMs: number): void {
      answerMs = (answerMs * 3 + tookMs) / 4;
    },
    async tick({ mark: rows, nextAt, isEarly, unanswered }: Progress): Promise<void> {
      const nowMs = performance.now();
      const seen = `${rows} ${proxies.pinterest.seen().length} ${proxies.openAi.seen().length}`;
      const isFlying = proxies.pinterest.inFlight() + proxies.openAi.inFlight() > 0;
      if (seen !== mark || isFlying) {
        if (seen !== mark) step = 0;
        mark = seen;
        quietSince = nowMs;
      }
      if (isFlying || isCallAlive(unanswered)) return;
      const quietMs = nowMs - quietSince;
      const aheadMs = nextAt ? nextAt.getTime() - clocks.now().getTime() : 0;
      if (aheadMs > 0 && (isEarly || quietMs > SHORT_QUIET_MS)) return pass(aheadMs + 150);
      if (quietMs < Math.min(MAX_QUIET_MS, QUIET_MS + QUIET_POLLS * answerMs)) return;
      const ms = STEPS_MS[Math.min(step, STEPS_MS.length - 1)] ?? 0;
      step += 1;
      await pass(ms);
    },
  };
}
