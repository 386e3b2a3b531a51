import { defineConfig } from "@playwright/test";
import { chromiumLaunchOptions } from "./scripts/chromium.ts";

/** These stop or time what all tests share, so nothing else may run beside them. */
const alone = ["cancel.spec.ts", "live-lag.spec.ts"];

/** Browser tests against the built product; `BASE_URL` names one that runs already, else one is started. */
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: process.env.BASE_URL ? undefined : "./tests/support/e2e-setup.ts",
  outputDir: "test-results",
  // Two files at a time; every test makes its own user, and the tests of one file keep their order.
  workers: 2,
  fullyParallel: false,
  projects: [
    { name: "together", testIgnore: alone },
    { name: "alone", testMatch: alone, workers: 1 },
  ],
  forbidOnly: Boolean(process.env.CI),
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [["json"], ["list"]] : [["list"]],
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: await chromiumLaunchOptions(),
    timezoneId: "Asia/Kathmandu",
    locale: "en-US",
    actionTimeout: 15_000,
    screenshot: "only-on-failure",
    // The document of each step is kept. Filming it as well takes a third of all the work of a run.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: true, sources: true },
  },
});
