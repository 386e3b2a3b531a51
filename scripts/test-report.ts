import { existsSync, readFileSync } from "node:fs";

/** How many checks of a suite held. */
export type Tally = { passed: number; failed: number };

type VitestReport = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number }; errors: unknown[] };

/**
 * Counts from vitest's JSON. A file that could not be loaded counts as one failure, and so does a run that failed
 * outside any test.
 */
export function tallyVitest(report: VitestReport): Tally {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: report.success ? failed : Math.max(failed, 1) };
}

/** Counts from Playwright's JSON. A test that only passed when repeated counts as failed. */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected, unexpected, flaky } = report.stats;
  return { passed: expected, failed: Math.max(unexpected + flaky, report.errors.length > 0 ? 1 : 0) };
}

/** Counts of a check that either holds or does not. */
export function tallyExit(code: number | null): Tally {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Reads a report a runner wrote; a run without one, or that ended badly though its report is clean, has failed. */
export function readTally(kind: "vitest" | "playwright", file: string, exitCode: number | null): Tally {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(file, "utf8"));
  const tally = kind === "vitest" ? tallyVitest(report) : tallyPlaywright(report);
  return exitCode === 0 ? tally : { passed: tally.passed, failed: Math.max(tally.failed, 1) };
}
