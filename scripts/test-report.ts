import { existsSync, readFileSync } from "node:fs";

/** How many checks of a suite passed and failed, and the tests among the passed ones that had to be repeated. */
export type Tally = { passed: number; failed: number; flaky: string[] };

/** A whole run stays green with this many repeated tests; each one more fails it. */
export const FLAKY_ALLOWED = 2;

/** A suite that takes longer than its budget times this fails. */
const OVER_BUDGET_FACTOR = 1.5;

type VitestReport = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

type PlaywrightSpec = { title: string; file: string; tests: { status: string }[] };
type PlaywrightSuite = { title: string; file: string; specs?: PlaywrightSpec[]; suites?: PlaywrightSuite[] };
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  errors: unknown[];
  suites?: PlaywrightSuite[];
};

/**
 * Counts from vitest's JSON. A file that could not be loaded counts as one failure, and so does a run that failed
 * outside any test.
 */
export function tallyVitest(report: VitestReport): Tally {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: report.success ? failed : Math.max(failed, 1), flaky: [] };
}

/** The names of the tests that passed only when they were repeated, as `file › describe › test`. */
function flakyOf(suites: PlaywrightSuite[], above: string[] = []): string[] {
  return suites.flatMap((suite) => {
    const path = suite.title === suite.file ? [suite.file] : [...above, suite.title];
    const own = (suite.specs ?? []).filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
    return [...own.map(({ title }) => [...path, title].join(" › ")), ...flakyOf(suite.suites ?? [], path)];
  });
}

/** Counts from Playwright's JSON. A test that passed when repeated counts as passed, and is named. */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected, unexpected, flaky } = report.stats;
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected, report.errors.length > 0 ? 1 : 0),
    flaky: flakyOf(report.suites ?? []),
  };
}

/** Counts of a check that either passes or fails. */
export function tallyExit(code: number | null): Tally {
  return code === 0 ? { passed: 1, failed: 0, flaky: [] } : { passed: 0, failed: 1, flaky: [] };
}

/** Reads a report a runner wrote; a run without one, or that ended badly though its report is clean, has failed. */
export function readTally(kind: "vitest" | "playwright", file: string, exitCode: number | null): Tally {
  if (!existsSync(file)) return { passed: 0, failed: 1, flaky: [] };
  const report = JSON.parse(readFileSync(file, "utf8"));
  const tally = kind === "vitest" ? tallyVitest(report) : tallyPlaywright(report);
  return exitCode === 0 ? tally : { ...tally, failed: Math.max(tally.failed, 1) };
}

/** What a suite's line says about its time; only `failed` counts as a failure. */
export function judgeTime(seconds: number, budgetSeconds: number): { failed: boolean; note: string } {
  if (seconds <= budgetSeconds) return { failed: false, note: "" };
  const failed = seconds > budgetSeconds * OVER_BUDGET_FACTOR;
  return { failed, note: failed ? `OVER ${OVER_BUDGET_FACTOR} TIMES ITS BUDGET` : "over budget" };
}

/** The closing lines of a run: each repeated test by name, a verdict if they are too many, and the counts at the end. */
export function closingLines({ passed, failed, flaky }: Tally): { lines: string[]; failed: number } {
  const tooMany = Math.max(0, flaky.length - FLAKY_ALLOWED);
  const named = flaky.map((name) => `↻ repeated: ${name}`);
  const verdict = tooMany > 0 ? [`${flaky.length} tests had to be repeated; ${FLAKY_ALLOWED} are allowed.`] : [];
  const allFailed = failed + tooMany;
  return { lines: [...named, ...verdict, `${passed} passed, ${allFailed} failed`], failed: allFailed };
}
