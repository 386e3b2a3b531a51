/**
 * `npm run faults -- [--pins N] [--users N] [--seed N] [--only name,name] [--list] [--keep]`: makes and publishes N pins
 * while everything fails that can, checks what is left (docs/reliability.md), and ends with one line. The exit code is
 * 0 only when nothing was lost, duplicated or early, and no credit is wrong. Disturbs no running instance.
 */
import { parseArgs } from "node:util";
import { catalogue, namedFaults, planRun } from "#tests/faults/nemesis/catalogue.ts";
import type { Fault } from "#tests/faults/nemesis/fault.ts";
import { isGood, reportOf } from "#tests/faults/nemesis/report.ts";
import { runNemesis } from "#tests/faults/nemesis/run.ts";
import { ensureTestBuild } from "#tests/support/app.ts";

const leastUsers = 20;
/** For a thousand pins on a machine that is busy; whatever hangs is told then instead of waited for. */
const deadlineMs = 45 * 60_000;

/** Pins of the plain handler that is run beside, for comparison. */
const mostCompared = 100;

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => process.exit(130));
process.on("disconnect", () => process.exit(130));

const { values } = parseArgs({
  options: {
    pins: { type: "string", default: "1000" },
    users: { type: "string", default: "25" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: "string" },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

const faults = values.only ? namedFaults(values.only.split(",")) : catalogue;
const [pins, users, seed] = [wholeNumber("pins", 1), wholeNumber("users", leastUsers), wholeNumber("seed", 0)];

if (values.list) list(faults);
else await run();

async function run(): Promise<void> {
  await ensureTestBuild();
  const say = (line: string) => console.log(`  ${line}`);
  const compareWith = Math.min(pins, mostCompared);
  const result = await runNemesis({ pins, users, seed, faults, deadlineMs, keep: values.keep, compareWith, say });
  console.log(`\n${reportOf(result)}`);
  process.exit(isGood(result) ? 0 : 1);
}

/** The plan of a seed: waves in their order, faults that strike together on one line. */
function list(all: readonly Fault[]): void {
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, what } of all) console.log(`${name.padEnd(width)}  ${what}`);
  const plan = planRun(all, seed, users);
  console.log(`\nSeed ${seed}:`);
  for (const wave of [...plan.making, ...plan.publishing]) console.log(`  ${wave.map(({ name }) => name).join(" + ")}`);
}

function wholeNumber(name: "pins" | "users" | "seed", least: number): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`--${name} must be a whole number from ${least}.`);
  process.exit(2);
}
