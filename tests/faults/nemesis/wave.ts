import type { Random } from "#tests/support/random.ts";
import type { Ask } from "./asks.ts";
import { order, orderWhatIsMissing, schedule, scheduleWhatIsMissing } from "./asks.ts";
import { within } from "./bounded.ts";
import type { Wave } from "./catalogue.ts";
import type { Person } from "./crew.ts";
import type { Fault, Scene } from "./fault.ts";
import { type Settled, settleMaking, settlePublishing } from "./settle.ts";
import type { World } from "./world.ts";

/** One fault's part of a wave. */
export interface Part {
  fault: Fault;
  asks: Ask[];
  people: Person[];
}

/** What came of one fault. */
export interface Outcome {
  fault: Fault;
  pins: number;
  injected: number;
  /** From the end of the fault until everything in its wave had come to its end. */
  settled: Settled | undefined;
  problems: string[];
}

/** Long enough for a process to be ended, started and waited for on a loaded machine. */
const HOOK_MS = 150_000;
/** What is under way when the run's time is over gets so much more. */
const GRACE_MS = 10_000;
/** How long before the first pin of a wave is due: a process may be started again meanwhile. */
const LEAD_MS = 180_000;
/** A wave's pins are waited for so long, and so much longer for each of them. */
const SETTLE_MS = 180_000;
const SETTLE_EACH_MS = 3_000;

interface Stage {
  part: Part;
  scene: Scene;
  outcome: Outcome;
  deadlineAt: number;
}

const stageOf = (world: World, part: Part, random: Random, deadlineAt: number): Stage => {
  const { fault, asks } = part;
  const people = part.people.filter((person) => asks.some((ask) => ask.person === person));
  const outcome: Outcome = { fault, pins: asks.length, injected: 0, settled: undefined, problems: [] };
  const usual = { start: new Date(world.clocks.now().getTime() + LEAD_MS), intervalMinutes: 1 };
  const scene: Scene = {
    world,
    asks,
    people,
    random,
    slots: fault.slots?.(world) ?? usual,
    injected: (times = 1) => {
      outcome.injected += times;
    },
    complain: (problem) => outcome.problems.push(problem),
  };
  return { part, scene, outcome, deadlineAt };
};

/** Runs a hook of each part side by side; one that fails or takes too long is a problem of its fault. */
async function callEach(stages: readonly Stage[], name: string, hook: (stage: Stage) => Promise<unknown> | undefined) {
  const leftMs = (stages[0]?.deadlineAt ?? 0) + GRACE_MS - performance.now();
  const boundMs = Math.max(GRACE_MS, Math.min(HOOK_MS, leftMs));
  await Promise.all(
    stages.map(async (stage) => {
      const { outcome } = stage;
      const work = Promise.resolve().then(() => hook(stage));
      await within(work, boundMs, `${name} of ${outcome.fault.name}`).catch((error) => {
        outcome.problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }),
  );
}

/** Plays the faults of a wave at the same time, heals, and waits until all its pins have come to an end. */
export async function playWave(
  world: World,
  parts: readonly Part[],
  random: Random,
  deadlineAt: number,
): Promise<Outcome[]> {
  const stages = parts.map((part) => stageOf(world, part, random, deadlineAt));
  const isMaking = parts[0]?.fault.phase === "making";
  const press = ({ asks, slots }: Scene) => (isMaking ? order(asks) : schedule(world, asks, slots));
  try {
    await callEach(stages, "arm", ({ part, scene }) => part.fault.arm?.(scene));
    const begin = ({ part, scene }: Stage) => (part.fault.begin ? part.fault.begin(scene) : press(scene));
    // A fault may stop the very press, which then comes back when the fault ends.
    const begun = callEach(stages, "begin", begin);
    if (isMaking) {
      await Promise.all([begun, strikeAll(stages, stages.every(({ part }) => !part.fault.begin) ? undefined : begun)]);
    } else {
      await begun;
      await scheduleMissing(world, stages);
      await passToFirst(world, stages);
      await strikeAll(stages, undefined);
    }
  } finally {
    await callEach(stages, "heal", ({ part, scene }) => part.fault.heal?.(scene));
  }
  await settleWave(world, stages, isMaking, deadlineAt);
  await callEach(stages, "clear", ({ part, scene }) => part.fault.clear?.(scene));
  await within(world.pinterest.clearFaults(), HOOK_MS, "the stand-in to forget faults");
  await reviveAll(world, stages);
  return stages.map(({ outcome }) => outcome);
}

async function strikeAll(stages: readonly Stage[], begun: Promise<void> | undefined): Promise<void> {
  await begun;
  await callEach(stages, "strike", ({ part, scene }) => part.fault.strike?.(scene));
}

const scheduleMissing = (world: World, stages: readonly Stage[]) =>
  callEach(stages, "schedule", ({ scene }) => scheduleWhatIsMissing(world, scene.asks, scene.slots));

/** Moves the clocks to the first slot, unless a fault wants to see who goes before it. */
async function passToFirst({ clocks }: World, stages: readonly Stage[]): Promise<void> {
  const first = Math.min(...stages.map(({ scene }) => scene.slots.start.getTime()));
  const aheadMs = first - clocks.now().getTime();
  if (aheadMs > 0) await clocks.pass(aheadMs + 50);
}

async function settleWave(world: World, stages: readonly Stage[], isMaking: boolean, deadlineAt: number) {
  const asks = stages.flatMap(({ part }) => part.asks);
  const until = Math.min(deadlineAt, performance.now() + SETTLE_MS + asks.length * SETTLE_EACH_MS);
  if (isMaking) await callEach(stages, "order", ({ scene }) => orderWhatIsMissing(world, scene.asks));
  const settled = await (isMaking ? settleMaking : settlePublishing)(world, asks, until);
  for (const { outcome } of stages) outcome.settled = settled;
}

/** Every fault leaves the processes running; what does not run any more is started again, and told. */
async function reviveAll(world: World, stages: readonly Stage[]): Promise<void> {
  for (const name of ["app", "executor", "sandbox"]) {
    if (world.processes.isAlive(name)) continue;
    for (const { outcome } of stages) outcome.problems.push(`${name} does not run after the fault`);
    await world.processes.start(name).catch((error) => {
      for (const { outcome } of stages) outcome.problems.push(String(error));
    });
  }
}

export type { Wave };
