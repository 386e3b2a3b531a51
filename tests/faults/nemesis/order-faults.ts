import { isId } from "#lib/core/ids.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { readPins, schedule } from "./asks.ts";
import { becomes, delay, within } from "./bounded.ts";
import { type Fault, nudgedUntil, type Scene } from "./fault.ts";

const WORKERS = 3;
const WORK_MS = 30_000;
const STARE_MS = 2_500;
const MINUTE_MS = 60_000;
const WRONG_MS = 10 * MINUTE_MS;

/** Everything happens twice, at the wrong moment, or by a wrong clock. */
export const orderFaults: readonly Fault[] = [
  { name: "none-making", what: "nothing goes wrong, making", phase: "making" },
  { name: "none-publishing", what: "nothing goes wrong, publishing", phase: "publishing", isLocal: true },
  {
    name: "two-clicks",
    what: "two clicks on Schedule at once",
    phase: "publishing",
    isLocal: true,
    begin: async (scene) => {
      const statuses = await schedule(scene.world, scene.asks, scene.slots, 2);
      scene.injected(statuses.length / 2);
      const taken = statuses.filter((status) => status === 200).length;
      if (taken !== statuses.length / 2) scene.complain(`of ${statuses.length} clicks ${taken} were taken`);
    },
  },
  {
    name: "two-workers",
    what: "several workers publish the same pins at once, past the engine",
    phase: "publishing",
    isLocal: true,
    strike: raceOnPins,
  },
  ...(["making", "publishing"] as const).map(
    (phase): Fault => ({
      name: `two-executors-${phase}`,
      what: `two executors over one database, ${phase}`,
      phase,
      arm: async ({ world, injected }) => {
        await world.processes.start("executor2");
        injected();
      },
      clear: ({ world }) => world.processes.stop("executor2"),
    }),
  ),
  ...(["app", "executor"] as const).map(
    (victim): Fault => ({
      name: `sigterm-${victim}`,
      what: `the ${victim} is told to stop while it publishes, then started again`,
      phase: "publishing",
      arm: async (scene) => {
        // Answers that come late, so that something is under way when the signal comes.
        for (const { username } of scene.people) {
          const rule = { match: "POST /v5/pins", delayMs: 700, times: 2, where: { account: username } };
          await within(scene.world.pinterest.strike(rule), WORK_MS, "the stand-in to take a fault");
        }
      },
      strike: async ({ world, injected, complain }) => {
        const { pinterest } = world.proxies;
        const isUnderWay = (ms: number) => becomes(() => pinterest.inFlight() > 0, ms, 10);
        if (!(await nudgedUntil(world, isUnderWay))) complain("nothing was under way");
        await world.processes.stop(victim);
        injected();
        await world.processes.start(victim);
      },
    }),
  ),
  ...(["app", "executor"] as const).flatMap((name) => [wrongClock(name, "ahead"), wrongClock(name, "behind")]),
  {
    name: "daylight-saving",
    what: "the slots of a batch lie across the night in which the clocks go forward in Berlin",
    phase: "publishing",
    isLocal: true,
    slots: ({ clocks }) => slotsAcrossTheNight(clocks.now()),
    arm: async (scene) => scene.injected(scene.people.length),
  },
];

/** Claims, creates and settles each pin several times at the same moment, beside the app. */
async function raceOnPins({ world, asks, injected }: Scene): Promise<void> {
  const work = async (pinId: string, scheduleGeneration: number): Promise<void> => {
    if (!isId("pin", pinId)) throw new Error(`${pinId} is no id of a pin.`);
    const scheduled = { pinId, scheduleGeneration };
    const claim = await claimPin(world.ctx, scheduled);
    if (claim.kind !== "attempt") return;
    const attempt = { ...scheduled, attemptId: claim.attemptId };
    await sendPin(world.ctx, attempt);
    await settleAttempt(world.ctx, attempt);
  };
  const rows = await readPins(world, asks);
  const races = rows.flatMap(({ id, scheduleGeneration }) => {
    injected(WORKERS);
    return Array.from({ length: WORKERS }, () => work(id, scheduleGeneration));
  });
  const ended = await within(Promise.allSettled(races), WORK_MS, "the workers to end");
  const broken = ended.find((one) => one.status === "rejected");
  if (broken) throw broken.reason;
}

/** One process believes to live ten minutes earlier or later than everybody else. */
function wrongClock(name: "app" | "executor", direction: "ahead" | "behind"): Fault {
  const ms = direction === "ahead" ? WRONG_MS : -WRONG_MS;
  return {
    name: `clock-${name}-${direction}`,
    what: `the ${name}'s clock is ten minutes ${direction}`,
    phase: "publishing",
    // Due in five minutes, which for a clock that is ahead is already past.
    slots: ({ clocks }) => ({ start: new Date(clocks.now().getTime() + 5 * MINUTE_MS), intervalMinutes: 1 }),
    begin: async (scene) => {
      scene.world.clocks.putWrong(name, ms);
      scene.injected();
      await schedule(scene.world, scene.asks, scene.slots);
      // Long enough to publish what looks due to the wrong clock.
      await delay(STARE_MS);
    },
    strike: () => delay(STARE_MS),
    heal: async ({ world }) => world.clocks.putWrong(name, 0),
  };
}

const HOUR_MS = 60 * MINUTE_MS;

/** When the clocks go forward in Berlin in a year: the last Sunday of March, at one o'clock of UTC. */
export function springForward(year: number): Date {
  const end = new Date(Date.UTC(year, 2, 31, 1));
  return new Date(end.getTime() - end.getUTCDay() * 24 * HOUR_MS);
}

/** The next such night from a moment on. */
export function nextSpringForward(from: Date): Date {
  const same = springForward(from.getUTCFullYear());
  return same > from ? same : springForward(from.getUTCFullYear() + 1);
}

/** Slots an hour apart; the first one an hour before the change, said in Berlin's winter time, if that lies ahead. */
function slotsAcrossTheNight(now: Date) {
  const change = nextSpringForward(now);
  const start = new Date(change.getTime() - HOUR_MS);
  const inBerlin = new Date(start.getTime() + HOUR_MS).toISOString().replace("Z", "+01:00");
  return { start, intervalMinutes: 60, startText: inBerlin };
}
