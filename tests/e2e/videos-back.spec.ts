import { expect, type Page } from "@playwright/test";
import { pageOf, someVideos } from "#tests/support/tiktok-page.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";
import { pastePage, serveImages } from "./support/video-page.ts";

const openExtractor = async (page: Page): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Navigates on the client, without a page load. */
const navigateOnClient = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((to) => {
    const { next } = window as unknown as { next: { router: { push(path: string): void } } };
    Object.assign(window, { isFirst: true });
    next.router.push(to);
  }, path);
  await page.waitForURL((url) => url.pathname === path);
  expect(await page.evaluate(() => "isFirst" in window), "the same document").toBe(true);
};

/** The path for which the current document was loaded. */
const documentPath = (page: Page) =>
  page.evaluate(() => new URL(performance.getEntriesByType("navigation")[0]?.name ?? "about:blank").pathname);

/** Whether the first thumbnail has loaded; a wrong content policy would block it. */
const isImageShown = (page: Page) =>
  page
    .locator("article[data-slot=video-card] img")
    .first()
    .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);

test("decision 0016 going back to the videos from a reloaded page shows their thumbnails", async ({ page }) => {
  await serveImages(page);
  await signIn(page);
  for (const away of ["/app/settings", "/blog"]) {
    await openExtractor(page);
    await navigateOnClient(page, away);
    await page.reload();
    await page.goBack();
    // Going back reloads the page once more, which would discard an earlier paste.
    await expect(async () => expect(await documentPath(page)).toBe("/app/videos")).toPass({ timeout: 60_000 });
    await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
    await page.waitForLoadState("load");
    const extract = page.getByRole("button", { name: "Extract Videos" });
    await expect(async () => {
      await page.getByLabel("Page HTML").focus();
      await pastePage(page, pageOf(someVideos(2)));
      await expect(extract).toBeEnabled({ timeout: 1_000 });
    }).toPass({ timeout: 60_000 });
    await extract.click();
    await expect(page.getByRole("heading", { name: "2 videos" })).toBeVisible();
    await expect.poll(() => isImageShown(page), away).toBe(true);
  }
});
