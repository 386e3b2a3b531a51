import { isId } from "#lib/core/ids.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { becomes, delay, within } from "./bounded.ts";
import { type Fault, type FaultContext, victimOf, waitAdvancingClock } from "./fault.ts";
import { readPins, schedule } from "./requests.ts";

const WORKERS = 3;
const WORK_MS = 30_000;
const OBSERVE_MS = 2_500;
const MINUTE_MS = 60_000;
const SKEW_MS = 10 * MINUTE_MS;

/** Faults of order and time: duplicate requests, bad timing, or a skewed clock. */
export const orderFaults: readonly Fault[] = [
  { name: "none-generation", what: "nothing goes wrong, generation", phase: "generation" },
  { name: "none-publishing", what: "nothing goes wrong, publishing", phase: "publishing", isLocal: true },
  {
    name: "two-clicks",
    what: "two clicks on Schedule at once",
    phase: "publishing",
    isLocal: true,
    begin: async (context) => {
      const statuses = await schedule(context.stack, context.pinRequests, context.slots, 2);
      context.injected(statuses.length / 2);
      const selected = statuses.filter((status) => status === 200).length;
      if (selected !== statuses.length / 2) context.complain(`${selected} of ${statuses.length} clicks were accepted`);
    },
  },
  {
    name: "two-workers",
    what: "several workers publish the same pins at once, past the engine",
    phase: "publishing",
    isLocal: true,
    inject: raceOnPins,
  },
  ...(["generation", "publishing"] as const).map(
    (phase): Fault => ({
      name: `two-executors-${phase}`,
      what: `two executors over one database, ${phase}`,
      phase,
      arm: async ({ stack, injected }) => {
        await stack.processes.start("executor2");
        injected();
      },
      clear: ({ stack }) => stack.processes.stop("executor2"),
    }),
  ),
  ...(["app", "executor"] as const).map(
    (victim): Fault => ({
      name: `sigterm-${victim}`,
      what: `the ${victim} gets SIGTERM while it publishes, then starts again`,
      phase: "publishing",
      arm: async (context) => {
        // Slow responses, so that something is in flight when the signal arrives.
        for (const { username } of context.testUsers) {
          const rule = { match: "POST /v5/pins", delayMs: 700, times: 2, where: { account: username } };
          await within(context.stack.pinterest.addFault(rule), WORK_MS, "the stand-in to take a fault");
        }
      },
      inject: async (context) => {
        const { stack, injected, complain } = context;
        const name = victimOf(context, victim);
        const { pinterest } = stack.proxies;
        const isUnderWay = (ms: number) => becomes(() => pinterest.inFlight() > 0, ms, 10);
        if (!(await waitAdvancingClock(stack, isUnderWay))) complain("nothing was in flight");
        await stack.processes.stop(name);
        injected();
        await stack.processes.start(name);
      },
    }),
  ),
  ...(["app", "executor"] as const).flatMap((name) => [skewedClock(name, "ahead"), skewedClock(name, "behind")]),
  {
    name: "daylight-saving",
    what: "the slots of a batch lie across the night in which the clocks go forward in Berlin",
    phase: "publishing",
    isLocal: true,
    slots: ({ clocks }) => slotsAcrossDstChange(clocks.now()),
    arm: async (context) => context.injected(context.testUsers.length),
  },
];

/** Claims, sends and settles each pin several times in parallel, in addition to the app. */
async function raceOnPins({ stack, pinRequests, injected }: FaultContext): Promise<void> {
  const work = async (pinId: string, scheduleGeneration: number): Promise<void> => {
    if (!isId("pin", pinId)) throw new Error(`${pinId} is not a pin id.`);
    const scheduled = { pinId, scheduleGeneration };
    const claim = await claimPin(stack.ctx, scheduled);
    if (claim.kind !== "attempt") return;
    const attempt = { ...scheduled, attemptId: claim.attemptId };
    await sendPin(stack.ctx, attempt);
    await settleAttempt(stack.ctx, attempt);
  };
  const rows = await readPins(stack, pinRequests);
  const races = rows.flatMap(({ id, scheduleGeneration }) => {
    injected(WORKERS);
    return Array.from({ length: WORKERS }, () => work(id, scheduleGeneration));
  });
  const ended = await within(Promise.allSettled(races), WORK_MS, "the workers to end");
  const broken = ended.find((item) => item.status === "rejected");
  if (broken) throw broken.reason;
}

/** One process's clock is ten minutes ahead or behind. */
function skewedClock(name: "app" | "executor", direction: "ahead" | "behind"): Fault {
  const ms = direction === "ahead" ? SKEW_MS : -SKEW_MS;
  return {
    name: `clock-${name}-${direction}`,
    what: `the ${name}'s clock is ten minutes ${direction}`,
    phase: "publishing",
    // Due in five minutes, which is already past for a clock that is ahead.
    slots: ({ clocks }) => ({ start: new Date(clocks.now().getTime() + 5 * MINUTE_MS), intervalMinutes: 1 }),
    begin: async (context) => {
      context.stack.clocks.setSkew(name, ms);
      context.injected();
      await schedule(context.stack, context.pinRequests, context.slots);
      // Long enough to publish pins that look due by the skewed clock.
      await delay(OBSERVE_MS);
    },
    inject: () => delay(OBSERVE_MS),
    heal: async ({ stack }) => stack.clocks.setSkew(name, 0),
  };
}

const HOUR_MS = 60 * MINUTE_MS;

/** The start of daylight saving time in Berlin: the last Sunday of March, 01:00 UTC. */
function springForward(year: number): Date {
  const end = new Date(Date.UTC(year, 2, 31, 1));
  return new Date(end.getTime() - end.getUTCDay() * 24 * HOUR_MS);
}

/** The next start of daylight saving time. */
export function nextSpringForward(from: Date): Date {
  const same = springForward(from.getUTCFullYear());
  return same > from ? same : springForward(from.getUTCFullYear() + 1);
}

/** Hourly slots starting an hour before the change, in Berlin's winter time. */
function slotsAcrossDstChange(now: Date) {
  const change = nextSpringForward(now);
  const start = new Date(change.getTime() - HOUR_MS);
  const inBerlin = new Date(start.getTime() + HOUR_MS).toISOString().replace("Z", "+01:00");
  return { start, intervalMinutes: 60, startText: inBerlin };
}
