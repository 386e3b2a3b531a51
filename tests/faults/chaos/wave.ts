import type { Random } from "#tests/support/random.ts";
import { within } from "./bounded.ts";
import type { Wave } from "./catalog.ts";
import type { Fault, FaultContext } from "./fault.ts";
import type { PinRequest } from "./requests.ts";
import { generate, retryGenerate, retrySchedule, schedule } from "./requests.ts";
import { type Settled, settleGeneration, settlePublishing } from "./settle.ts";
import type { TestStack } from "./stack.ts";
import type { TestUser } from "./users.ts";

/** One fault's part of a wave. */
export interface Part {
  fault: Fault;
  pinRequests: PinRequest[];
  testUsers: TestUser[];
}

/** The outcome of one fault. */
export interface Outcome {
  fault: Fault;
  pins: number;
  injected: number;
  /** From the end of the fault until everything in its wave has settled. */
  settled: Settled | undefined;
  problems: string[];
}

/** Enough to end, start and await a process on a busy machine. */
const HOOK_MS = 150_000;
/** Extra time for what is running when the time is up. */
const GRACE_MS = 10_000;
/** Time until the first pin of a wave is due; a process may restart meanwhile. */
const LEAD_MS = 180_000;
/** How long to wait for a wave, plus extra time for each of its pins. */
const SETTLE_MS = 180_000;
const SETTLE_EACH_MS = 3_000;

interface Stage {
  part: Part;
  context: FaultContext;
  outcome: Outcome;
  deadlineAt: number;
}

const toStage = (stack: TestStack, part: Part, random: Random, deadlineAt: number): Stage => {
  const { fault, pinRequests } = part;
  const testUsers = part.testUsers.filter((testUser) =>
    pinRequests.some((pinRequest) => pinRequest.testUser === testUser),
  );
  const outcome: Outcome = { fault, pins: pinRequests.length, injected: 0, settled: undefined, problems: [] };
  const usual = { start: new Date(stack.clocks.now().getTime() + LEAD_MS), intervalMinutes: 1 };
  const context: FaultContext = {
    stack,
    pinRequests,
    testUsers,
    random,
    slots: fault.slots?.(stack) ?? usual,
    injected: (times = 1) => {
      outcome.injected += times;
    },
    complain: (problem) => outcome.problems.push(problem),
  };
  return { part, context, outcome, deadlineAt };
};

/** Runs a hook of all parts in parallel; a failure or timeout is a problem of its fault. */
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

/** Injects the faults of a wave together, heals them, and waits until all its pins have settled. */
export async function runWave(
  stack: TestStack,
  parts: readonly Part[],
  random: Random,
  deadlineAt: number,
): Promise<Outcome[]> {
  const stages = parts.map((part) => toStage(stack, part, random, deadlineAt));
  const isGeneration = parts[0]?.fault.phase === "generation";
  const submit = ({ pinRequests, slots }: FaultContext): Promise<unknown> =>
    isGeneration ? generate(pinRequests) : schedule(stack, pinRequests, slots);
  try {
    await callEach(stages, "arm", ({ part, context }) => part.fault.arm?.(context));
    const begin = ({ part, context }: Stage) => (part.fault.begin ? part.fault.begin(context) : submit(context));
    // A fault may hold the request itself, which then returns when the fault ends.
    const begun = callEach(stages, "begin", begin);
    if (isGeneration) {
      await Promise.all([begun, injectAll(stages, stages.every(({ part }) => !part.fault.begin) ? undefined : begun)]);
    } else {
      await begun;
      await scheduleMissing(stack, stages);
      await advanceToFirst(stack, stages);
      await injectAll(stages, undefined);
    }
  } finally {
    await callEach(stages, "heal", ({ part, context }) => part.fault.heal?.(context));
  }
  await settleWave(stack, stages, isGeneration, deadlineAt);
  await callEach(stages, "clear", ({ part, context }) => part.fault.clear?.(context));
  await within(stack.pinterest.clearFaults(), HOOK_MS, "the stand-in to clear its faults");
  await restartDead(stack, stages);
  return stages.map(({ outcome }) => outcome);
}

async function injectAll(stages: readonly Stage[], begun: Promise<void> | undefined): Promise<void> {
  await begun;
  await callEach(stages, "inject", ({ part, context }) => part.fault.inject?.(context));
}

const scheduleMissing = (stack: TestStack, stages: readonly Stage[]) =>
  callEach(stages, "schedule", ({ context }) => retrySchedule(stack, context.pinRequests, context.slots));

/** Advances the clocks to the first slot, unless it has passed. */
async function advanceToFirst({ clocks }: TestStack, stages: readonly Stage[]): Promise<void> {
  const first = Math.min(...stages.map(({ context }) => context.slots.start.getTime()));
  const aheadMs = first - clocks.now().getTime();
  if (aheadMs > 0) await clocks.pass(aheadMs + 50);
}

async function settleWave(stack: TestStack, stages: readonly Stage[], isGeneration: boolean, deadlineAt: number) {
  const pinRequests = stages.flatMap(({ part }) => part.pinRequests);
  const until = Math.min(deadlineAt, performance.now() + SETTLE_MS + pinRequests.length * SETTLE_EACH_MS);
  if (isGeneration) await callEach(stages, "order", ({ context }) => retryGenerate(stack, context.pinRequests));
  const settled = await (isGeneration ? settleGeneration : settlePublishing)(stack, pinRequests, until);
  for (const { outcome } of stages) outcome.settled = settled;
}

/** Restarts processes that are not running after the faults, and reports them. */
async function restartDead(stack: TestStack, stages: readonly Stage[]): Promise<void> {
  for (const name of [...stack.shape.instances, "executor", "sandbox"]) {
    if (stack.processes.isAlive(name)) continue;
    for (const { outcome } of stages) outcome.problems.push(`${name} is not running after the fault`);
    await stack.processes.start(name).catch((error) => {
      for (const { outcome } of stages) outcome.problems.push(String(error));
    });
  }
}

export type { Wave };
