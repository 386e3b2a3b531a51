/**
 * `npm run faults -- [--pins N] [--users N] [--seed N] [--instances 2] [--only name,name] [--list] [--keep]`: generates
 * and publishes pins with injected faults. With two instances, they run from one build behind a round-robin proxy and
 * keep images in a bucket. Exits with 0 only if no pin was lost, duplicated or early, and all credits are correct.
 */
import { parseArgs } from "node:util";
import { catalogOf, namedFaults, planRun } from "#tests/faults/chaos/catalog.ts";
import type { Fault } from "#tests/faults/chaos/fault.ts";
import { isClean, reportOf } from "#tests/faults/chaos/report.ts";
import { runFaults } from "#tests/faults/chaos/run.ts";
import { ensureTestBuild } from "#tests/support/app.ts";

const minUsers = 20;
/** Enough for a thousand pins and all faults on a slow machine; what hangs longer is reported. */
const deadlineMs = 120 * 60_000;

/** Maximum number of pins for the naive handler that runs for comparison. */
const maxCompared = 100;

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => process.exit(130));
process.on("disconnect", () => process.exit(130));

const { values } = parseArgs({
  options: {
    pins: { type: "string", default: "1000" },
    users: { type: "string", default: "25" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    instances: { type: "string", default: "1" },
    only: { type: "string" },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

const instances = wholeNumber("instances", 1, 2);
const faults = values.only ? namedFaults(values.only.split(",")) : catalogOf(instances);
const [pins, users, seed] = [wholeNumber("pins", 1), wholeNumber("users", minUsers), wholeNumber("seed", 0)];

if (!values.list) await run();
list(faults);
// The channel to the first stage would keep the process alive.
process.exit(0);

async function run(): Promise<void> {
  await ensureTestBuild();
  const log = (line: string) => console.log(`  ${line}`);
  const compareWith = Math.min(pins, maxCompared);
  const { keep } = values;
  const result = await runFaults({ pins, users, seed, faults, instances, deadlineMs, keep, compareWith, log });
  console.log(`\n${reportOf(result)}`);
  process.exit(isClean(result) ? 0 : 1);
}

/** Prints the plan of a seed: waves in order, with simultaneous faults on one line. */
function list(all: readonly Fault[]): void {
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, what } of all) console.log(`${name.padEnd(width)}  ${what}`);
  const plan = planRun(all, seed, users);
  console.log(`\nSeed ${seed}:`);
  for (const wave of [...plan.generation, ...plan.publishing])
    console.log(`  ${wave.map(({ name }) => name).join(" + ")}`);
}

function wholeNumber(
  name: "pins" | "users" | "seed" | "instances",
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  const upper = max < Number.MAX_SAFE_INTEGER ? ` and at most ${max}` : "";
  console.error(`--${name} must be a whole number of at least ${min}${upper}.`);
  process.exit(2);
}
