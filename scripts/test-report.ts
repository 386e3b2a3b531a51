import { existsSync, readFileSync } from "node:fs";

/** Passed and failed checks of a suite, and the tests that passed only on a retry. */
export type Tally = { passed: number; failed: number; flaky: string[] };

/** A run with more flaky tests than this fails. */
const FLAKY_ALLOWED = 2;

/** A suite that exceeds its budget by this factor fails. */
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

/** Counts vitest's JSON report. A file that failed to load, or a failure outside of any test, counts as one failure. */
export function tallyVitest(report: VitestReport): Tally {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: report.success ? failed : Math.max(failed, 1), flaky: [] };
}

/** The names of flaky tests, as `file › describe › test`. */
function flakyOf(suites: PlaywrightSuite[], above: string[] = []): string[] {
  return suites.flatMap((suite) => {
    const path = suite.title === suite.file ? [suite.file] : [...above, suite.title];
    const own = (suite.specs ?? []).filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
    return [...own.map(({ title }) => [...path, title].join(" › ")), ...flakyOf(suite.suites ?? [], path)];
  });
}

/** Counts Playwright's JSON report. A flaky test counts as passed, and is listed. */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected, unexpected, flaky } = report.stats;
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected, report.errors.length > 0 ? 1 : 0),
    flaky: flakyOf(report.suites ?? []),
  };
}

/** Counts a check that either passes or fails. */
export function tallyExit(code: number | null): Tally {
  return code === 0 ? { passed: 1, failed: 0, flaky: [] } : { passed: 0, failed: 1, flaky: [] };
}

/** Reads a runner's report. A missing report, or a failed exit despite a clean report, counts as a failure. */
export function readTally(kind: "vitest" | "playwright", file: string, exitCode: number | null): Tally {
  if (!existsSync(file)) return { passed: 0, failed: 1, flaky: [] };
  const report = JSON.parse(readFileSync(file, "utf8"));
  const tally = kind === "vitest" ? tallyVitest(report) : tallyPlaywright(report);
  return exitCode === 0 ? tally : { ...tally, failed: Math.max(tally.failed, 1) };
}

/** The note about a suite's time; only `failed` counts as a failure. */
export function checkTime(seconds: number, budgetSeconds: number): { failed: boolean; note: string } {
  if (seconds <= budgetSeconds) return { failed: false, note: "" };
  const failed = seconds > budgetSeconds * OVER_BUDGET_FACTOR;
  return { failed, note: failed ? `OVER ${OVER_BUDGET_FACTOR} TIMES ITS BUDGET` : "over budget" };
}

/** The last lines of a run: flaky tests, a verdict if there are too many, and the totals. */
export function closingLines({ passed, failed, flaky }: Tally): { lines: string[]; failed: number } {
  const tooMany = Math.max(0, flaky.length - FLAKY_ALLOWED);
  const named = flaky.map((name) => `↻ flaky: ${name}`);
  const verdict = tooMany > 0 ? [`${flaky.length} tests were flaky; ${FLAKY_ALLOWED} are allowed.`] : [];
  const allFailed = failed + tooMany;
  return { lines: [...named, ...verdict, `${passed} passed, ${allFailed} failed`], failed: allFailed };
}
