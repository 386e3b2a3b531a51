import type { Page } from "@playwright/test";

const HOUR_MS = 3_600_000;

/** Before the page is opened: its timers will obey the test. Until `stopClock` its time still goes on by itself. */
export const ownClock = (page: Page): Promise<void> => page.clock.install();

/** From now on the page's time stands, so that only `page.clock.runFor` decides when a timer is due. */
export const stopClock = async (page: Page): Promise<void> => {
  const now = await page.evaluate(() => Date.now());
  await page.clock.pauseAt(now + HOUR_MS);
};
