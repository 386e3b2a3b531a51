import { expect, type Page } from "@playwright/test";
import { afterEffects } from "./test.ts";

const HOUR_MS = 3_600_000;

/** Before the page is opened: its timers will obey the test. Until `stopClock` its time still goes on by itself. */
export const ownClock = (page: Page): Promise<void> => page.clock.install();

/** From now on the page's time stands, so that only `page.clock.runFor` decides when a timer is due. */
export const stopClock = async (page: Page): Promise<void> => {
  const now = await page.evaluate(() => Date.now());
  await page.clock.pauseAt(now + HOUR_MS);
};

/** Lets the page's time pass, once the timers of what it shows have been set. */
export const letPass = async (page: Page, ms: number): Promise<void> => {
  await afterEffects(page);
  await page.clock.runFor(ms);
};

/** Leaves a public page while its redirect to the login is due soon, and sees that no timer of it goes on. */
export const leaveForGood = async (page: Page): Promise<void> => {
  const visited: string[] = [];
  page.on("framenavigated", (frame) => visited.push(new URL(frame.url()).pathname));
  const banner = page.getByRole("banner");
  await banner.getByRole("link").first().click();
  await page.waitForURL(/\/$/);
  await letPass(page, 10_000);
  // One more step, so that a late redirect would have had its turn before.
  await banner.getByRole("link", { name: "FAQs" }).click();
  await page.waitForURL(/\/faqs$/);
  expect(visited).toEqual(["/", "/faqs"]);
};
