import { and, inArray, ne } from "drizzle-orm";
import { publishAttempts } from "#db/schema/publishing.ts";
import { CALL_LEASE_MS, FIRST_LOOK_MS, NEXT_LOOK_MS } from "#lib/features/publishing/constants.ts";
import { type Ask, reading, readPins, readTasks } from "./asks.ts";
import { delay } from "./bounded.ts";
import type { World } from "./world.ts";

/** How far a set of asks is. */
interface Progress {
  /** What has not ended yet, in words. */
  open: string[];
  /** Changes whenever anything happens. */
  mark: string;
  /** When somebody next means to do something about it, as far as rows tell. */
  nextAt: Date | null;
  /** Whether all that is open only waits for its time to come. */
  isEarly: boolean;
  /** Calls without an answer so far. */
  unanswered: string[];
}

/** How it went. `movedMs`: how far the clocks were moved on meanwhile. */
export interface Settled {
  isSettled: boolean;
  tookMs: number;
  movedMs: number;
  open: string[];
}

/** Nothing happened for so long: everybody sleeps. Longer than a sweep's beat; more where the machine is slow. */
const QUIET_MS = 1_300;
const QUIET_ANSWERS = 15;
const QUIET_MOST_MS = 6_000;
/** The same before a moment that rows name. */
const SHORT_QUIET_MS = 350;
/** A call without an answer is taken for dead after this time without any request on its way. */
const DEAD_CALL_MS = 3_000;
/** Steps of moved time when rows name no moment: a sweep's minute, then patience and leases. */
const STEPS_MS = [61_000, 61_000, 125_000, 305_000, 305_000, 905_000];
const TICK_MS = 100;

/** Waits until each task of these asks has ended, moving the clocks on where everybody sleeps. */
export const settleMaking = (world: World, asks: readonly Ask[], deadlineAt: number): Promise<Settled> =>
  settle(world, () => makingProgress(world, asks), deadlineAt);

/** The same for pins: until each is published or has failed. */
export const settlePublishing = (world: World, asks: readonly Ask[], deadlineAt: number): Promise<Settled> =>
  settle(world, () => publishingProgress(world, asks), deadlineAt);

async function makingProgress(world: World, asks: readonly Ask[]): Promise<Progress> {
  const tasks = await readTasks(world, asks);
  const open = tasks.filter(({ finishedAt }) => finishedAt === null);
  const facts = tasks.map((task) => [task.id, task.status, task.title, task.imageKey, task.sweeps, task.sentAt]);
  return {
    open: open.map(({ id, status, sweeps, wakeAt }) => `task ${id} ${status}, sweeps ${sweeps}, wakes ${iso(wakeAt)}`),
    mark: JSON.stringify(facts),
    nextAt: null,
    isEarly: false,
    unanswered: [],
  };
}

type Attempt = typeof publishAttempts.$inferSelect;

/** When an open attempt is next looked at (publishing's own pauses). */
const nextLookAt = (attempt: Attempt): Date => {
  if (attempt.lookedAt) return new Date(attempt.lookedAt.getTime() + NEXT_LOOK_MS);
  if (attempt.answeredAt) return new Date(attempt.answeredAt.getTime() + FIRST_LOOK_MS);
  return new Date((attempt.calledAt ?? attempt.armedAt).getTime() + CALL_LEASE_MS);
};

async function publishingProgress(world: World, asks: readonly Ask[]): Promise<Progress> {
  const now = world.clocks.now();
  const pins = await readPins(world, asks);
  const open = pins.filter(({ status }) => status === "scheduled");
  const attempts = await readOpenAttempts(
    world,
    open.map(({ id }) => id),
  );
  const moments = open.flatMap((pin) => {
    if (pin.scheduledAt && pin.scheduledAt > now) return [pin.scheduledAt];
    const attempt = attempts.find(({ pinId }) => pinId === pin.id);
    if (attempt) return [nextLookAt(attempt)];
    return pin.wakeAt && !attempt ? [pin.wakeAt] : [];
  });
  const next = moments.filter((moment) => moment > now).sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    open: open.map((pin) => sayPin(pin, attempts)),
    mark: JSON.stringify([pins.map((pin) => [pin.id, pin.status, pin.wakeAt, pin.sweeps, pin.breakdowns]), attempts]),
    nextAt: next ?? null,
    isEarly: open.length > 0 && open.every(({ scheduledAt }) => scheduledAt !== null && scheduledAt > now),
    unanswered: attempts.filter((one) => one.calledAt && !one.answeredAt).map(({ id }) => id),
  };
}

const readOpenAttempts = ({ ctx }: World, pinIds: readonly string[]): Promise<Attempt[]> =>
  reading(() =>
    ctx.db
      .select()
      .from(publishAttempts)
      .where(and(inArray(publishAttempts.pinId, [...pinIds]), ne(publishAttempts.state, "settled"))),
  );

const iso = (moment: Date | null): string => moment?.toISOString() ?? "never";

const sayPin = (pin: Awaited<ReturnType<typeof readPins>>[number], attempts: readonly Attempt[]): string => {
  const attempt = attempts.find(({ pinId }) => pinId === pin.id);
  const said = attempt
    ? `attempt ${attempt.number} ${attempt.state} called ${iso(attempt.calledAt)} answered ${iso(attempt.answeredAt)} ` +
      `looks ${attempt.looks}/${attempt.lookFailures}`
    : "no open attempt";
  const times = `due ${iso(pin.scheduledAt)}, wakes ${iso(pin.wakeAt)}`;
  return `pin ${pin.id} ${pin.status} ${times}, sweeps ${pin.sweeps}, ${said}, reason ${pin.reason}`;
};

async function settle(world: World, ask: () => Promise<Progress>, deadlineAt: number): Promise<Settled> {
  const beganAt = performance.now();
  const beganMs = world.clocks.now().getTime() - Date.now();
  const mover = createMover(world);
  let progress = await ask();
  while (progress.open.length > 0 && performance.now() < deadlineAt) {
    await mover.tick(progress);
    await delay(TICK_MS);
    const askedAt = performance.now();
    progress = await ask();
    mover.tell(performance.now() - askedAt);
  }
  return {
    isSettled: progress.open.length === 0,
    tookMs: performance.now() - beganAt,
    movedMs: world.clocks.now().getTime() - Date.now() - beganMs,
    open: progress.open,
  };
}

/** Decides when the clocks may go on: never while a call may really be on its way, or its lease would end before it. */
function createMover({ clocks, proxies }: World) {
  let mark = "";
  let quietSince = performance.now();
  let step = 0;
  /** How long an answer takes on this machine, smoothed. */
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
    tell(tookMs: number): void {
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
      if (quietMs < Math.min(QUIET_MOST_MS, QUIET_MS + QUIET_ANSWERS * answerMs)) return;
      const ms = STEPS_MS[Math.min(step, STEPS_MS.length - 1)] ?? 0;
      step += 1;
      await pass(ms);
    },
  };
}
