import { createRandom, type Random } from "#tests/support/random.ts";
import type { Ask } from "./asks.ts";
import { readTasks } from "./asks.ts";
import { namedFaults, type Plan, planRun } from "./catalogue.ts";
import { check, type Verdict } from "./checker.ts";
import { gatherCrew, type Person } from "./crew.ts";
import { explain } from "./explain.ts";
import type { Fault, Phase } from "./fault.ts";
import { type NaiveResult, runNaive } from "./naive.ts";
import { nextSpringForward } from "./order-faults.ts";
import { readHistory } from "./read-history.ts";
import { type Outcome, type Part, playWave } from "./wave.ts";
import { openWorld, type World } from "./world.ts";

export interface RunOptions {
  pins: number;
  users: number;
  seed: number;
  faults: readonly Fault[];
  /** After this time nothing more is begun or waited for; then it is checked what there is. */
  deadlineMs: number;
  /** After this time no further fault is begun: what is left is made and published in peace, and the report says so. */
  hurryMs?: number;
  /** Leaves database, pictures and logs behind, and says where. */
  keep?: boolean;
  /** How many pins a plain handler publishes under the same faults of the provider, for comparison. */
  compareWith?: number;
  say(line: string): void;
}

/** A run, judged. It is good when nothing is violated and nothing went wrong with the run itself. */
export interface RunResult {
  plan: Plan;
  verdict: Verdict;
  asks: readonly Ask[];
  outcomes: readonly Outcome[];
  /** Faults that cannot be brought about here, and why. */
  notRun: readonly { name: string; why: string }[];
  /** What went wrong with the run: promises broken, processes that ended by themselves, time that ran out. */
  problems: readonly string[];
  /** Faults that never found their moment, by name: for them the run shows nothing. */
  missed: readonly string[];
  seconds: number;
  naive: NaiveResult | undefined;
}

const SUBJECTS = ["small garden", "reading corner", "winter soup", "linen curtains", "forest walk", "paper stars"];
/** Clocks begin so long before the night in which the clocks go forward. */
const BEFORE_THE_NIGHT_MS = 30 * 3_600_000;

/** Starts the product, makes and publishes the pins while the plan's faults strike, and judges what is left. */
export async function runNemesis(options: RunOptions): Promise<RunResult> {
  const beganAt = performance.now();
  const { able, notRun } = await sortOut(options.faults);
  const plan = planRun(able, options.seed, options.users);
  const begin = new Date(nextSpringForward(new Date()).getTime() - BEFORE_THE_NIGHT_MS);
  const world = await openWorld(begin, options.keep ?? false);
  const run: Run = {
    options,
    world,
    plan,
    random: createRandom(options.seed + 1),
    crew: [],
    asks: [],
    outcomes: [],
    problems: [],
    notRun,
    deadlineAt: beganAt + options.deadlineMs,
  };
  try {
    await play(run);
    const verdict = check(await readHistory(world, run.crew, run.asks));
    const problems = [...run.problems, ...(await problemsOf(run))];
    const seconds = (performance.now() - beganAt) / 1000;
    // The verdict stands without the comparison.
    const naive = await compare(run).catch((error: unknown) => options.say(`not compared: ${String(error)}`));
    const missed = missedOf(run);
    return {
      plan,
      verdict,
      asks: run.asks,
      outcomes: run.outcomes,
      notRun,
      problems,
      missed,
      seconds,
      naive: naive ?? undefined,
    };
  } finally {
    if (options.keep) options.say(`kept: ${world.dataDir}`);
    await world.close();
  }
}

interface Run {
  options: RunOptions;
  world: World;
  plan: Plan;
  random: Random;
  crew: Person[];
  asks: Ask[];
  outcomes: Outcome[];
  problems: string[];
  notRun: { name: string; why: string }[];
  deadlineAt: number;
}

async function sortOut(faults: readonly Fault[]): Promise<{ able: Fault[]; notRun: Run["notRun"] }> {
  const able: Fault[] = [];
  const notRun: { name: string; why: string }[] = [];
  for (const fault of faults) {
    const why = await fault.unable?.();
    if (why === undefined) able.push(fault);
    else notRun.push({ name: fault.name, why });
  }
  return { able, notRun };
}

async function play(run: Run): Promise<void> {
  const { options, world, plan } = run;
  const pinsEach = Math.ceil(options.pins / options.users) + plan.making.length;
  run.crew = await gatherCrew(world, options.users, pinsEach);
  options.say(`${options.users} users are there, ${sinceBegin(run)}`);
  run.asks = makeAsks(run);
  await playMaking(run);
  await playPublishing(run);
}

/** Half of the time before the hurry is for the making. */
async function playMaking(run: Run): Promise<void> {
  const { plan, crew } = run;
  let next = 0;
  for (const [index, wave] of plan.making.entries()) {
    const isHurried = isLate(run, 0.5);
    const end = isHurried ? run.asks.length : Math.round(((index + 1) * run.asks.length) / plan.making.length);
    const asks = run.asks.slice(next, end);
    next = end;
    if (isHurried) leaveOut(run, plan.making.slice(index));
    const [fault] = isHurried ? namedFaults(["none-making"]) : wave;
    if (fault) await playParts(run, [{ fault, asks, people: crew }], "making");
    if (isHurried) return;
  }
}

const isLate = ({ options, deadlineAt }: Run, share: number): boolean =>
  options.hurryMs !== undefined && performance.now() > deadlineAt - options.deadlineMs + options.hurryMs * share;

function leaveOut({ notRun }: Run, waves: readonly (readonly Fault[])[]): void {
  for (const { name } of waves.flat()) notRun.push({ name, why: "this machine is too busy for the time there is" });
}

/** Asks in order, their people in turn. */
function makeAsks({ options, crew }: Run): Ask[] {
  return Array.from({ length: options.pins }, (_, n) => {
    const person = crew[n % crew.length];
    if (!person) throw new Error("There are no users.");
    const keyword = `${SUBJECTS[n % SUBJECTS.length]} ask ${n}`;
    const url = `https://example.com/faults/${options.seed}/${n}`;
    return { n, person, url, keyword, makingFault: "", publishingFault: "", wantedAt: null };
  });
}

async function playPublishing(run: Run): Promise<void> {
  const { plan, crew, world } = run;
  const made = new Set(
    (await readTasks(world, run.asks)).filter(({ status }) => status === "SUCCESS").map(({ url }) => url),
  );
  const left = new Map(
    crew.map((person) => [person, run.asks.filter((ask) => ask.person === person && made.has(ask.url))]),
  );
  let faultsLeft = plan.publishing.flat().length;
  for (const [index, wave] of plan.publishing.entries()) {
    const isHurried = isLate(run, 1);
    const isLast = isHurried || index === plan.publishing.length - 1;
    // What strikes side by side costs hardly more than nothing at all.
    const isCheap = wave.every(({ isLocal }) => isLocal);
    if (isHurried) leaveOut(run, plan.publishing.slice(isCheap ? index + 1 : index));
    const faults = isHurried && !isCheap ? namedFaults(["none-publishing"]) : wave;
    const parts = faults.map((fault, place): Part => {
      const people = crew.filter((_, n) => n % faults.length === place);
      const share = Math.ceil([...left.values()].flat().length / Math.max(1, faultsLeft));
      faultsLeft -= 1;
      return { fault, people, asks: takeFrom(left, people, isLast ? Number.POSITIVE_INFINITY : share) };
    });
    await playParts(run, parts, "publishing");
    if (isHurried) return;
  }
}

/** One pin of each person in turn, until there are enough. */
function takeFrom(left: Map<Person, Ask[]>, people: readonly Person[], count: number): Ask[] {
  const taken: Ask[] = [];
  for (let isMore = true; isMore && taken.length < count; ) {
    isMore = false;
    for (const person of people) {
      const ask = taken.length < count ? left.get(person)?.shift() : undefined;
      if (!ask) continue;
      taken.push(ask);
      isMore = true;
    }
  }
  return taken;
}

const sinceBegin = ({ options, deadlineAt }: Run): string =>
  `${((performance.now() - deadlineAt + options.deadlineMs) / 1000).toFixed(0)} s since the begin`;

async function playParts(run: Run, parts: readonly Part[], phase: Phase): Promise<void> {
  const { world, options, random, deadlineAt } = run;
  const names = parts.map(({ fault }) => fault.name).join(", ");
  for (const { fault, asks } of parts) {
    for (const ask of asks) ask[phase === "making" ? "makingFault" : "publishingFault"] = fault.name;
  }
  const busy = parts.filter(({ asks }) => asks.length > 0);
  if (busy.length === 0) return;
  if (performance.now() > deadlineAt) {
    run.problems.push(`there was no time left for: ${names}`);
    return;
  }
  const outcomes = await playWave(world, busy, random, deadlineAt);
  run.outcomes.push(...outcomes);
  const settled = outcomes[0]?.settled;
  const seconds = ((settled?.tookMs ?? 0) / 1000).toFixed(1);
  options.say(
    `${names}: ${busy.flatMap(({ asks }) => asks).length} pins, settled ${seconds} s after it, ${sinceBegin(run)}`,
  );
  if (settled && !settled.isSettled) run.problems.push(...(await explain(world, names, settled.open)));
}

/** After everything was read: what the plain handler makes is none of the run's. */
async function compare({ options, world, crew }: Run): Promise<NaiveResult | undefined> {
  // Enough accounts to stay below what Pinterest takes from one of them in a minute.
  const people = crew.slice(0, 5);
  return options.compareWith ? runNaive(world, people, options.seed, options.compareWith) : undefined;
}

async function problemsOf({ world, outcomes }: Run): Promise<string[]> {
  const ofFaults = outcomes.flatMap(({ fault, problems }) => problems.map((problem) => `${fault.name}: ${problem}`));
  return [...ofFaults, ...world.processes.surprises()];
}

const missedOf = ({ outcomes }: Run): string[] =>
  outcomes
    .filter(({ fault, injected }) => !fault.name.startsWith("none-") && injected === 0)
    .map(({ fault }) => fault.name);
