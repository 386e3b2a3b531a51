import { expect, type Page } from "@playwright/test";
import { type PageVideo, pageOf, someVideos } from "#tests/support/tiktok-page.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";
import { pastePage, serveImages } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });
const select = (page: Page, start: RegExp) => page.getByRole("checkbox", { name: start });

const openExtractor = async (page: Page): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Extracts a page with these videos. */
const extract = async (page: Page, videos: readonly PageVideo[]): Promise<void> => {
  await field(page).focus();
  await pastePage(page, pageOf(videos));
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: /^[\d,]+ videos?$/ })).toBeVisible();
};

test("a result scrolls into view on a phone without taking the focus, and survives visits to other screens", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await serveImages(page);
  await signIn(page);
  await openExtractor(page);
  await extract(page, someVideos(12));
  await expect(extractButton(page)).toBeFocused();
  await expect(page.getByRole("heading", { name: "12 videos" })).toBeInViewport();
  await select(page, /^Select 1\./).check();
  await page.getByRole("link", { name: "Saved Videos" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Saved TikTok Videos" })).toBeVisible();
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.getByRole("link", { name: "Videos", exact: true }).click();
  await expect(page.getByRole("heading", { name: "12 videos" })).toBeVisible();
  await expect(page).toHaveURL(/\/app\/videos$/);
  await expect(select(page, /^Select 1\./)).toBeChecked();
  await expect(field(page)).toHaveValue(/challenge-item-list/);
  // An earlier result is not announced.
  await expect(page.getByRole("status").filter({ hasText: "12 videos found" })).toHaveCount(0);
  // The worker that read the page still answers.
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByRole("region", { name: "Selected Videos Stats" })).toBeVisible();
});
