import { expect, test } from "vitest";
import { tallyExit, tallyPlaywright, tallyVitest } from "#scripts/test-report.ts";

const clean = { success: true, numPassedTests: 3, numFailedTests: 0, testResults: [] };

test("a clean vitest run counts its tests", () => {
  expect(tallyVitest(clean)).toEqual({ passed: 3, failed: 0 });
});

test("a test file that cannot be loaded counts as a failure", () => {
  const testResults = [{ status: "failed", assertionResults: [] }];
  expect(tallyVitest({ ...clean, success: false, testResults })).toEqual({ passed: 3, failed: 1 });
});

test("a vitest run that failed outside any test counts as a failure", () => {
  expect(tallyVitest({ ...clean, success: false })).toEqual({ passed: 3, failed: 1 });
});

test("a browser test that passed only when repeated has failed", () => {
  expect(tallyPlaywright({ stats: { expected: 4, unexpected: 1, flaky: 1 }, errors: [] })).toEqual({
    passed: 4,
    failed: 2,
  });
});

test("an error outside the browser tests counts as a failure", () => {
  expect(tallyPlaywright({ stats: { expected: 0, unexpected: 0, flaky: 0 }, errors: [{}] })).toEqual({
    passed: 0,
    failed: 1,
  });
});

test("a check that was killed has failed", () => {
  expect(tallyExit(null)).toEqual({ passed: 0, failed: 1 });
});
