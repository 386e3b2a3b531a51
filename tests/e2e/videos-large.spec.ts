import { expect, type Page } from "@playwright/test";
import { pageOf, someVideos } from "#tests/support/tiktok-page.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";
import { pastePage, serveImages } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });

const openExtractor = async (page: Page): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Measures the main thread's long tasks. @returns the longest so far, in milliseconds */
const watchTasks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks));
};

test("a 20 MB paste is stored outside the field, extracted, and can be cleared", async ({ page }) => {
  test.setTimeout(240_000);
  await serveImages(page);
  await signIn(page);
  await openExtractor(page);
  const filler = `<div class="x">${"lorem ipsum dolor ".repeat(50)}</div>`;
  const html = pageOf(someVideos(40)).replace(
    "</body>",
    `${filler.repeat(Math.ceil(20_000_000 / filler.length))}</body>`,
  );
  await field(page).focus();
  await pastePage(page, html);
  await expect(page.getByText(/Pasted page, 20\.\d MB/)).toBeVisible();
  expect((await field(page).inputValue()).length).toBeLessThan(3_000);
  const longest = await watchTasks(page);
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: "40 videos" })).toBeVisible({ timeout: 30_000 });
  console.log(`20 MB: the main thread's longest block was ${Math.round(await longest())} ms`);
  await page.getByRole("button", { name: "Clear the page" }).click();
  await expect(field(page)).toHaveValue("");
  await expect(extractButton(page)).toBeDisabled();
});
