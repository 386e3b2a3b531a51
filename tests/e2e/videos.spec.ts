import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { type PageVideo, pageOf, someVideos, urlOf } from "#tests/support/tiktok-page.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";
import { pastePage, serveImages } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });
const cards = (page: Page) => page.locator("article[data-slot=video-card]");

/** Extracts a page with these videos. */
const extract = async (page: Page, videos: readonly PageVideo[]): Promise<void> => {
  await field(page).focus();
  await pastePage(page, pageOf(videos));
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: /^[\d,]+ videos?$/ })).toBeVisible();
};

const select = (page: Page, start: RegExp) => page.getByRole("checkbox", { name: start });

test("R-ROUTE-25, R-VID-01, R-VID-02, R-VID-03, R-VID-04, R-VID-18, R-VID-21, R-VID-27, R-VID-28, R-VID-29, R-VAN-01, A-77 paste, read, save, export, analyze, read another page, and one without videos", async ({
  page,
}) => {
  const seen = await serveImages(page);
  const { token } = await signIn(page);
  await page.goto("/extract-tiktok");
  await expect(page).toHaveURL(/\/app\/videos$/);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  const analytics = page.getByRole("tab", { name: "Analytics" });
  await expect(extractButton(page)).toBeDisabled();
  await expect(analytics).toBeDisabled();
  await field(page).fill("   ");
  await expect(extractButton(page)).toBeDisabled();

  await field(page).fill("");
  await extract(page, someVideos(3));
  await expect(page.getByRole("heading", { name: "3 videos" })).toBeVisible();
  // The thumbnail's host gets no referrer.
  await expect.poll(() => seen.requested.length).toBeGreaterThan(0);
  expect(seen.referrers.filter(Boolean)).toEqual([]);
  await select(page, /^Select 1\./).check();
  await select(page, /^Select 2\./).check();
  await page.getByRole("button", { name: "Save 2 Video(s) to API" }).click();
  await expect(page.locator("[data-slot=banner][data-tone=success]")).toHaveText("Successfully saved 2 videos!");
  await expect(page.getByRole("region", { name: "API Response" })).toContainText("Successfully saved 2 videos!");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await page.request.get("/api/users/save_tiktok_videos/", { headers });
  const [first] = someVideos(3);
  const { results } = await answer.json();
  expect(results).toHaveLength(2);
  expect(results[0].video_url).toBe(first && urlOf(first, 0));

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("tiktok_videos.csv");
  expect(
    readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n"),
  ).toHaveLength(3);

  // The paste is kept while the other tab is open.
  await analytics.click();
  await expect(page.getByRole("tabpanel").locator("[data-slot=chart] svg.recharts-surface")).toHaveCount(2);
  await expect(field(page)).toHaveCount(0);
  await page.getByRole("tab", { name: "Extractor" }).click();
  await expect(field(page)).toHaveValue(/challenge-item-list/);
  await expect(select(page, /^Select 1\./)).toBeChecked();

  await page.getByRole("button", { name: "Clear the page" }).click();
  await expect(field(page)).toBeFocused();
  await extract(page, someVideos(5));
  await expect(page.getByRole("heading", { name: "5 videos" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "API Response" })).toHaveCount(0);
  await expect(page.getByText(/videos? selected/)).toHaveCount(0);

  await field(page).fill("<p>Nothing here</p>");
  await extractButton(page).click();
  await expect(page.locator("[data-slot=banner]", { hasText: "No videos found in the pasted HTML." })).toBeVisible();
  await expect(page.locator("[data-slot=banner][data-tone=failed]")).toHaveCount(0);
  await expect(cards(page)).toHaveCount(0);
  await expect(analytics).toBeDisabled();
});
