import { createRandom, type Random } from "#tests/support/random.ts";
import { namedFaults, type Plan, planRun } from "./catalog.ts";
import { check, type Verdict } from "./checker.ts";
import { explain } from "./explain.ts";
import type { Fault, Phase } from "./fault.ts";
import { type NaiveResult, runNaive } from "./naive.ts";
import { nextSpringForward } from "./order-faults.ts";
import { readHistory } from "./read-history.ts";
import type { PinRequest } from "./requests.ts";
import { readTasks } from "./requests.ts";
import { startStack, type TestStack } from "./stack.ts";
import { createUsers, type TestUser } from "./users.ts";
import { type Outcome, type Part, runWave } from "./wave.ts";

interface RunOptions {
  pins: number;
  users: number;
  seed: number;
  faults: readonly Fault[];
  /** After this time nothing is started or waited for; the existing state is checked. */
  deadlineMs: number;
  /** After this time no fault is injected: the remaining pins run without faults, and the report says so. */
  noNewFaultsAfterMs?: number;
  /** How many processes of the app run behind a proxy; 1 by default, without one. */
  instances?: number;
  /** Keeps database, images and logs, and prints where. */
  keep?: boolean;
  /** How many pins the naive handler publishes under the same provider faults, for comparison. */
  compareWith?: number;
  log(line: string): void;
}

/** The result of a run, with its verdict. */
export interface RunResult {
  plan: Plan;
  verdict: Verdict;
  pinRequests: readonly PinRequest[];
  outcomes: readonly Outcome[];
  /** Faults that can't be injected here, and why. */
  notRun: readonly { name: string; why: string }[];
  /** Problems of the run itself: broken guarantees, unexpected exits, exhausted time. */
  problems: readonly string[];
  /** Faults that were never injected, by name. */
  missed: readonly string[];
  seconds: number;
  naive: NaiveResult | undefined;
  /** What the proxy in front of several instances saw. */
  balancing: string | undefined;
}

const SUBJECTS = ["small garden", "reading corner", "winter soup", "linen curtains", "forest walk", "paper stars"];
/** Clocks start this long before daylight saving time starts. */
const BEFORE_DST_CHANGE_MS = 30 * 3_600_000;

/** Starts the product, generates and publishes the pins while injecting the plan's faults, and checks the outcome. */
export async function runFaults(options: RunOptions): Promise<RunResult> {
  const beganAt = performance.now();
  const { instances = 1 } = options;
  const { supported, notRun } = await selectSupported(options.faults, instances);
  const plan = planRun(supported, options.seed, options.users);
  const begin = new Date(nextSpringForward(new Date()).getTime() - BEFORE_DST_CHANGE_MS);
  const stack = await startStack({ begin, keep: options.keep ?? false, instances });
  const run: Run = {
    options,
    stack,
    plan,
    random: createRandom(options.seed + 1),
    allUsers: [],
    pinRequests: [],
    outcomes: [],
    problems: [],
    notRun,
    deadlineAt: beganAt + options.deadlineMs,
  };
  try {
    await runPhases(run);
    const verdict = check(await readHistory(stack, run.allUsers, run.pinRequests));
    const problems = [...run.problems, ...(await collectProblems(run))];
    const seconds = (performance.now() - beganAt) / 1000;
    // The verdict is valid without the comparison.
    const naive = await compare(run).catch((error: unknown) => options.log(`not compared: ${String(error)}`));
    const missed = missedFaults(run);
    return {
      plan,
      verdict,
      pinRequests: run.pinRequests,
      outcomes: run.outcomes,
      notRun,
      problems,
      missed,
      seconds,
      naive: naive ?? undefined,
      balancing: describeBalancing(stack),
    };
  } finally {
    if (options.keep) options.log(`kept: ${stack.dataDir}`);
    await stack.close();
  }
}

interface Run {
  options: RunOptions;
  stack: TestStack;
  plan: Plan;
  random: Random;
  allUsers: TestUser[];
  pinRequests: PinRequest[];
  outcomes: Outcome[];
  problems: string[];
  notRun: { name: string; why: string }[];
  deadlineAt: number;
}

async function selectSupported(
  faults: readonly Fault[],
  instances: number,
): Promise<{ supported: Fault[]; notRun: Run["notRun"] }> {
  const supported: Fault[] = [];
  const notRun: { name: string; why: string }[] = [];
  for (const fault of faults) {
    const why =
      fault.needsImageFolder && instances > 1 ? "the images are in a bucket" : await fault.unsupportedReason?.();
    if (why === undefined) supported.push(fault);
    else notRun.push({ name: fault.name, why });
  }
  return { supported, notRun };
}

async function runPhases(run: Run): Promise<void> {
  const { options, stack, plan } = run;
  const pinsEach = Math.ceil(options.pins / options.users) + plan.generation.length;
  run.allUsers = await createUsers(stack, options.users, pinsEach);
  options.log(`created ${options.users} users, ${elapsed(run)}`);
  run.pinRequests = createPinRequests(run);
  await runGeneration(run);
  await runPublishing(run);
}

/** Generation gets half of the time for faults. */
async function runGeneration(run: Run): Promise<void> {
  const { plan, allUsers } = run;
  let next = 0;
  for (const [index, wave] of plan.generation.entries()) {
    const isOutOfTime = isLate(run, 0.5);
    const end = isOutOfTime
      ? run.pinRequests.length
      : Math.round(((index + 1) * run.pinRequests.length) / plan.generation.length);
    const pinRequests = run.pinRequests.slice(next, end);
    next = end;
    if (isOutOfTime) skipWaves(run, plan.generation.slice(index));
    const [fault] = isOutOfTime ? namedFaults(["none-generation"]) : wave;
    if (fault) await runParts(run, [{ fault, pinRequests, testUsers: allUsers }], "generation");
    if (isOutOfTime) return;
  }
}

const isLate = ({ options, deadlineAt }: Run, share: number): boolean =>
  options.noNewFaultsAfterMs !== undefined &&
  performance.now() > deadlineAt - options.deadlineMs + options.noNewFaultsAfterMs * share;

function skipWaves({ notRun }: Run, waves: readonly (readonly Fault[])[]): void {
  for (const { name } of waves.flat()) notRun.push({ name, why: "this machine is too busy to run it in time" });
}

/** One request after the other, with users in turn. */
function createPinRequests({ options, allUsers }: Run): PinRequest[] {
  return Array.from({ length: options.pins }, (_, n) => {
    const testUser = allUsers[n % allUsers.length];
    if (!testUser) throw new Error("There are no users.");
    const keyword = `${SUBJECTS[n % SUBJECTS.length]} request ${n}`;
    const url = `https://example.com/faults/${options.seed}/${n}`;
    return { n, testUser, url, keyword, generationFault: "", publishingFault: "", wantedAt: null };
  });
}

async function runPublishing(run: Run): Promise<void> {
  const { plan, allUsers, stack } = run;
  const generated = new Set(
    (await readTasks(stack, run.pinRequests)).filter(({ status }) => status === "SUCCESS").map(({ url }) => url),
  );
  const left = new Map(
    allUsers.map((testUser) => [
      testUser,
      run.pinRequests.filter((pinRequest) => pinRequest.testUser === testUser && generated.has(pinRequest.url)),
    ]),
  );
  let faultsLeft = plan.publishing.flat().length;
  for (const [index, wave] of plan.publishing.entries()) {
    const isOutOfTime = isLate(run, 1);
    const isLast = isOutOfTime || index === plan.publishing.length - 1;
    // Simultaneous faults cost hardly any extra time.
    const isCheap = wave.every(({ isLocal }) => isLocal);
    if (isOutOfTime) skipWaves(run, plan.publishing.slice(isCheap ? index + 1 : index));
    const faults = isOutOfTime && !isCheap ? namedFaults(["none-publishing"]) : wave;
    const parts = faults.map((fault, nth): Part => {
      const testUsers = allUsers.filter((_, n) => n % faults.length === nth);
      const share = Math.ceil([...left.values()].flat().length / Math.max(1, faultsLeft));
      faultsLeft -= 1;
      return {
        fault,
        testUsers,
        pinRequests: takeRoundRobin(left, testUsers, isLast ? Number.POSITIVE_INFINITY : share),
      };
    });
    await runParts(run, parts, "publishing");
    if (isOutOfTime) return;
  }
}

/** Takes one pin of each user in turn. */
function takeRoundRobin(
  left: Map<TestUser, PinRequest[]>,
  testUsers: readonly TestUser[],
  count: number,
): PinRequest[] {
  const selected: PinRequest[] = [];
  for (let isMore = true; isMore && selected.length < count; ) {
    isMore = false;
    for (const testUser of testUsers) {
      const pinRequest = selected.length < count ? left.get(testUser)?.shift() : undefined;
      if (!pinRequest) continue;
      selected.push(pinRequest);
      isMore = true;
    }
  }
  return selected;
}

const elapsed = ({ options, deadlineAt }: Run): string =>
  `${((performance.now() - deadlineAt + options.deadlineMs) / 1000).toFixed(0)} s since the start`;

async function runParts(run: Run, parts: readonly Part[], phase: Phase): Promise<void> {
  const { stack, options, random, deadlineAt } = run;
  const names = parts.map(({ fault }) => fault.name).join(", ");
  for (const { fault, pinRequests } of parts) {
    for (const pinRequest of pinRequests)
      pinRequest[phase === "generation" ? "generationFault" : "publishingFault"] = fault.name;
  }
  const busy = parts.filter(({ pinRequests }) => pinRequests.length > 0);
  if (busy.length === 0) return;
  if (performance.now() > deadlineAt) {
    run.problems.push(`no time left for: ${names}`);
    return;
  }
  const outcomes = await runWave(stack, busy, random, deadlineAt);
  run.outcomes.push(...outcomes);
  const settled = outcomes[0]?.settled;
  const seconds = ((settled?.tookMs ?? 0) / 1000).toFixed(1);
  options.log(
    `${names}: ${busy.flatMap(({ pinRequests }) => pinRequests).length} pins, settled ${seconds} s after it, ${elapsed(run)}`,
  );
  if (settled && !settled.isSettled) run.problems.push(...(await explain(stack, names, settled.open)));
}

/** Runs last, so that its pins do not count for the run. */
async function compare({ options, stack, allUsers }: Run): Promise<NaiveResult | undefined> {
  // Enough accounts to stay below Pinterest's rate limit per account.
  const testUsers = allUsers.slice(0, 5);
  return options.compareWith ? runNaive(stack, testUsers, options.seed, options.compareWith) : undefined;
}

/** An instance that answered nothing is a problem of the run: then there was only one. */
const idleInstances = ({ shape: { balancer, instances } }: TestStack): string[] =>
  balancer && balancer.answered().size < instances.length ? ["an instance answered no request"] : [];

const describeBalancing = ({ shape: { balancer } }: TestStack): string | undefined => {
  if (!balancer) return undefined;
  const counts = [...balancer.answered().values()].join(" and ");
  return `requests answered by the instances: ${counts}; not answered, because an instance died: ${balancer.lost().length}`;
};

async function collectProblems({ stack, outcomes }: Run): Promise<string[]> {
  const ofFaults = outcomes.flatMap(({ fault, problems }) => problems.map((problem) => `${fault.name}: ${problem}`));
  return [...ofFaults, ...idleInstances(stack), ...stack.processes.unexpectedExits()];
}

const missedFaults = ({ outcomes }: Run): string[] =>
  outcomes
    .filter(({ fault, injected }) => !fault.name.startsWith("none-") && injected === 0)
    .map(({ fault }) => fault.name);
