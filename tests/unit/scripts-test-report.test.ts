import { expect, test } from "vitest";
import { MEMORY_REFERENCE_MS, REFERENCE_MS, slownessOf } from "#scripts/machine-speed.ts";
import { checkTime, closingLines, tallyExit, tallyPlaywright, tallyVitest } from "#scripts/test-report.ts";
import { budgetOf, groupsOf, suites } from "#scripts/test-suites.ts";

const clean = { success: true, numPassedTests: 3, numFailedTests: 0, testResults: [] };

test("a clean vitest run counts its tests", () => {
  expect(tallyVitest(clean)).toEqual({ passed: 3, failed: 0, flaky: [] });
});

test("a test file that cannot be loaded counts as a failure", () => {
  const testResults = [{ status: "failed", assertionResults: [] }];
  expect(tallyVitest({ ...clean, success: false, testResults })).toEqual({ passed: 3, failed: 1, flaky: [] });
});

test("a vitest run that failed outside any test counts as a failure", () => {
  expect(tallyVitest({ ...clean, success: false })).toEqual({ passed: 3, failed: 1, flaky: [] });
});

test("a browser test that passed only on a retry counts as passed, and is listed with its file and describe", () => {
  const spec = (title: string, status: string) => ({ title, file: "review.spec.ts", tests: [{ status }] });
  const suites = [
    {
      title: "review.spec.ts",
      file: "review.spec.ts",
      specs: [spec("keys", "flaky"), spec("steady", "expected")],
      suites: [{ title: "on a phone", file: "review.spec.ts", specs: [spec("swipe", "flaky")] }],
    },
  ];
  expect(tallyPlaywright({ stats: { expected: 4, unexpected: 1, flaky: 2 }, errors: [], suites })).toEqual({
    passed: 6,
    failed: 1,
    flaky: ["review.spec.ts › keys", "review.spec.ts › on a phone › swipe"],
  });
});

test("an error outside the browser tests counts as a failure", () => {
  expect(tallyPlaywright({ stats: { expected: 0, unexpected: 0, flaky: 0 }, errors: [{}] })).toEqual({
    passed: 0,
    failed: 1,
    flaky: [],
  });
});

test("a check that was killed counts as failed", () => {
  expect(tallyExit(null)).toEqual({ passed: 0, failed: 1, flaky: [] });
});

test("a run passes with two flaky tests, which are listed; a third fails it", () => {
  const two = closingLines({ passed: 9, failed: 0, flaky: ["a", "b"] });
  expect(two).toEqual({ lines: ["↻ flaky: a", "↻ flaky: b", "9 passed, 0 failed"], failed: 0 });
  const three = closingLines({ passed: 9, failed: 0, flaky: ["a", "b", "c"] });
  expect(three.failed).toBe(1);
  expect(three.lines).toContain("↻ flaky: c");
  expect(three.lines.slice(-2)).toEqual(["3 tests were flaky; 2 are allowed.", "9 passed, 1 failed"]);
});

test("a suite over its budget is reported, and fails above one and a half times its budget", () => {
  expect(checkTime(60, 60)).toEqual({ failed: false, note: "" });
  expect(checkTime(90, 60)).toEqual({ failed: false, note: "over budget" });
  expect(checkTime(90.1, 60)).toEqual({ failed: true, note: "OVER 1.5 TIMES ITS BUDGET" });
});

test("budgets grow with a slower machine, up to four times, and never shrink", () => {
  expect([0.5, 1, 1.5, 2, 5].map((factor) => slownessOf(factor * REFERENCE_MS))).toEqual([1, 1, 1.5, 2, 4]);
  expect([0.5, 2, 5].map((factor) => slownessOf(REFERENCE_MS, factor * MEMORY_REFERENCE_MS))).toEqual([1, 2, 4]);
});

const named = (...names: string[]) => names.flatMap((name) => suites.filter((suite) => suite.name === name));

test("a suite runs in parallel with the previous one only if that one runs too", () => {
  const names = (groups: ReturnType<typeof groupsOf>) => groups.map((group) => group.map(({ name }) => name));
  expect(names(groupsOf(named("unit", "integration", "component")))).toEqual([["unit"], ["integration", "component"]]);
  expect(names(groupsOf(named("unit", "component", "faults")))).toEqual([["unit"], ["component"], ["faults"]]);
});

test("the budgets of a default run and the installation are twelve minutes at most", () => {
  const installSeconds = 25;
  const sum = budgetOf(suites.filter(({ isExtra }) => !isExtra));
  expect(sum + installSeconds).toBeLessThanOrEqual(12 * 60);
});
