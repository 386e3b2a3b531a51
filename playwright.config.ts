import { defineConfig } from "@playwright/test";
import { chromiumLaunchOptions } from "./scripts/chromium.ts";

/** Measures latency, so nothing else may run at the same time. */
const alone = ["**/live-lag.spec.ts"];

/**
 * Full runs record no traces of first attempts, which would slow them down. Failed tests are retried with a trace, up
 * to twice, and reported as flaky (scripts/test-report.ts).
 */
const isWhole = process.env.PLAYWRIGHT_JSON_OUTPUT_FILE !== undefined;

/** Browser tests against the built product. `BASE_URL` selects a running one; otherwise one is started. */
export default defineConfig({
  testDir: "tests",
  testMatch: ["e2e/**/*.spec.ts", "screens/**/*.spec.ts"],
  globalSetup: process.env.BASE_URL ? undefined : "./tests/support/e2e-setup.ts",
  outputDir: "test-results",
  // Tests wait a third of their time, so three workers keep two cores busy. Every test creates its own user, and the
  // tests of one file keep their order.
  workers: 3,
  fullyParallel: false,
  projects: [
    { name: "together", testIgnore: alone },
    { name: "alone", testMatch: alone, workers: 1 },
    { name: "screens", testIgnore: alone, grep: /@screens/ },
  ],
  forbidOnly: Boolean(process.env.CI),
  retries: isWhole ? 2 : 0,
  // For busy machines: only failing tests wait this long.
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
    // Keeps DOM snapshots. Screenshots would take a third of a run's time.
    trace: {
      mode: isWhole ? "on-first-retry" : "retain-on-failure",
      screenshots: false,
      snapshots: true,
      sources: true,
    },
  },
});
