/**
 * `npm test`: runs all suites, or the named ones (`npm test -- unit contract`); other arguments go to the runner. A
 * suite's output appears only if it fails. Flaky tests are listed, also in `.test/flaky.json`.
 */
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inherited } from "./build.ts";
import { nonEmpty } from "./compose.ts";
import { measureSlowness } from "./machine-speed.ts";
import { asProcessEnv, endWithParent, killGroup, nodeBinary, openLog } from "./processes.ts";
import { inRepository, repositoryRoot } from "./root.ts";
import { checkTime, closingLines, readTally, type Tally, tallyExit } from "./test-report.ts";
import { groupsOf, type Suite, suites } from "./test-suites.ts";

const logFolder = inRepository(".test", "logs");
const hardLimitFactor = 3;

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => process.exit(130));
process.on("disconnect", () => process.exit(130));

const requested = process.argv.slice(2);
const named = suites.filter((suite) => requested.includes(suite.name));
const filters = requested.filter((word) => !suites.some((suite) => suite.name === word));
const chosen = named.length > 0 ? named : suites.filter((suite) => !suite.isExtra);
// A busy or slower machine must not fail a suite that is as quick as ever.
let slowness = measureSlowness();
if (slowness > 1)
  console.log(`This machine is ${slowness.toFixed(2)} times slower than the reference; budgets grow with it.`);
const total: Tally = { passed: 0, failed: 0, flaky: [] };
for (const group of groupsOf(chosen)) {
  const ended = await Promise.all(group.map(runSuite));
  for (const { suite, tally, seconds } of ended) {
    report(suite, tally, seconds);
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.flaky.push(...tally.flaky);
  }
}
writeFileSync(inRepository(".test", "flaky.json"), `${JSON.stringify(total.flaky, null, 2)}\n`);
const closing = closingLines(total);
for (const line of closing.lines) console.log(line);
process.exit(closing.failed === 0 ? 0 : 1);

type Ended = { suite: Suite; tally: Tally; seconds: number };

async function runSuite(suite: Suite): Promise<Ended> {
  mkdirSync(logFolder, { recursive: true });
  const results = join(logFolder, `${suite.name}.json`);
  const log = join(logFolder, `${suite.name}.log`);
  for (const file of [results, log]) rmSync(file, { force: true });
  if (process.stdout.isTTY) process.stdout.write(`… ${suite.name}\r`);
  const beganAt = performance.now();
  const code = await execute(suite, results, log);
  const seconds = (performance.now() - beganAt) / 1000;
  const tally = suite.counts === "exit" ? tallyExit(code) : readTally(suite.counts, results, code);
  if (tally.failed > 0) console.log(readFileSync(log, "utf8").trimEnd());
  return { suite, tally, seconds };
}

/** Prints a suite's line; far over its budget, it counts as failed. */
function report(suite: Suite, tally: Tally, seconds: number): void {
  // Shared machines become slower during a run. No other suite runs now, so the measurement counts.
  if (checkTime(seconds, budgetOn(suite)).failed) slowness = Math.max(slowness, measureSlowness());
  const time = checkTime(seconds, budgetOn(suite));
  if (time.failed) tally.failed += 1;
  console.log(lineFor(suite, tally, seconds, time.note));
}

/** The budget of a suite on this machine, in seconds. */
function budgetOn({ budgetSeconds }: Suite): number {
  return Math.round(budgetSeconds * slowness);
}

function lineFor(suite: Suite, { passed, failed }: Tally, seconds: number, note: string): string {
  const over = note && `  ${note}`;
  const time = `${seconds.toFixed(1)} s of ${budgetOn(suite)} s`;
  return `${failed === 0 ? "✓" : "✗"} ${suite.name.padEnd(12)} ${`${passed} ok`.padStart(9)} ${`${failed} not ok`.padStart(10)}   ${time}${over}`;
}

/** Returns the exit code; null if a signal ended it. Signals and timeouts are noted in its log. */
function execute(suite: Suite, report: string, logFile: string): Promise<number | null> {
  const log = openLog(logFile);
  const child = spawn(nodeBinary(), suite.args(report, filters), {
    cwd: repositoryRoot,
    detached: true,
    env: asProcessEnv(environmentFor(suite, report)),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${suite.name} could not be started.`);
  // Its own children (databases, apps) are tied to it and end after it.
  endWithParent(pid, { order: 0, signal: "SIGKILL", graceMs: 0 });
  const limitSeconds = budgetOn(suite) * hardLimitFactor;
  const limit = setTimeout(() => {
    appendFileSync(logFile, `\n${suite.name} was stopped: it took more than ${limitSeconds} s.\n`);
    killGroup(pid);
  }, limitSeconds * 1000);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(limit);
      if (signal) appendFileSync(logFile, `\n${suite.name} was ended by ${signal}.\n`);
      resolve(code);
    });
  });
}

function environmentFor(suite: Suite, report: string): Record<string, string> {
  const { CI, CHROMIUM_PATH, FAULTS_SEED } = process.env;
  const color: Record<string, string> = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
  return {
    ...inherited(),
    NEXT_TELEMETRY_DISABLED: "1",
    ...color,
    ...nonEmpty({ CI, CHROMIUM_PATH, FAULTS_SEED }),
    ...suite.env?.(report),
  };
}
