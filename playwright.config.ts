import { defineConfig } from "@playwright/test";
import { chromiumLaunchOptions } from "./scripts/chromium.ts";

/** This times what all tests share, so nothing else may run beside it. */
const alone = ["**/live-lag.spec.ts"];

/**
 * A run of whole suites keeps no record of what passes, which would be a good part of its work: a test that fails is
 * repeated with one, twice at most, and the runner names it (scripts/test-report.ts).
 */
const isWhole = process.env.PLAYWRIGHT_JSON_OUTPUT_FILE !== undefined;

/** Browser tests against the built product; `BASE_URL` names one that runs already, else one is started. */
export default defineConfig({
  testDir: "tests",
  testMatch: ["e2e/**/*.spec.ts", "screens/**/*.spec.ts"],
  globalSetup: process.env.BASE_URL ? undefined : "./tests/support/e2e-setup.ts",
  outputDir: "test-results",
  // A test waits for a third of its time: three files at a time keep two cores busy. Every test makes its own user, and
  // the tests of one file keep their order.
  workers: 3,
  fullyParallel: false,
  projects: [
    { name: "together", testIgnore: alone },
    { name: "alone", testMatch: alone, workers: 1 },
    { name: "screens", testIgnore: alone, grep: /@screens/ },
  ],
  forbidOnly: Boolean(process.env.CI),
  retries: isWhole ? 2 : 0,
  // For a machine that does other things as well: only what fails waits as long.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: isWhole ? [["json"], ["list"]] : [["list"]],
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: await chromiumLaunchOptions(),
    timezoneId: "Asia/Kathmandu",
    locale: "en-US",
    actionTimeout: 30_000,
    screenshot: "only-on-failure",
    // The document of each step is kept. Filming it as well takes a third of all the work of a run.
    trace: {
      mode: isWhole ? "on-first-retry" : "retain-on-failure",
      screenshots: false,
      snapshots: true,
      sources: true,
    },
  },
});
