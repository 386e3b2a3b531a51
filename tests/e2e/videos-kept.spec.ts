import { expect, type Page, test } from "@playwright/test";
import { signIn } from "./support/quick.ts";
import { addressOf, type PageVideo, pageOf, pastePage, servePictures, someVideos } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });
const banner = (page: Page, text: string) => page.locator(".banner-failed", { hasText: text });
const select = (page: Page, start: RegExp) => page.getByRole("checkbox", { name: start });

const openExtractor = async (page: Page): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Reads a page with these videos. */
const extract = async (page: Page, videos: readonly PageVideo[]): Promise<void> => {
  await field(page).focus();
  await pastePage(page, pageOf(videos));
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: /^[\d,]+ videos?$/ })).toBeVisible();
};

test("R-VID-27 to R-VID-29 a saving in two parts: what is kept when the second fails, and the order of the library", async ({
  page,
}) => {
  test.setTimeout(180_000);
  await servePictures(page);
  const { token } = await signIn(page);
  await openExtractor(page);
  const videos = someVideos(502);
  await extract(page, videos);
  await page.getByRole("button", { name: "Select All", exact: true }).click();
  let calls = 0;
  await page.route("**/api/users/save_tiktok_videos/", (route) => {
    calls += 1;
    return calls === 2 ? route.fulfill({ status: 500, json: { error: "Broken for a test." } }) : route.continue();
  });
  const save = page.getByRole("button", { name: "Save 502 Video(s) to API" });
  const response = page.getByRole("region", { name: "API Response" });
  await save.click();
  await expect(banner(page, "Error saving videos: Broken for a test. 2 of the 502 videos are saved")).toBeVisible();
  await expect(response).toContainText("Successfully saved 2 videos!");
  await save.click();
  await expect(page.locator(".banner-success")).toHaveText("Successfully saved 502 videos!");
  await expect(response).toContainText("Successfully saved 2 videos!");
  await expect(response).toContainText("Successfully saved 500 videos!");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await page.request.get("/api/users/save_tiktok_videos/", { headers });
  const { results } = await answer.json();
  expect(results).toHaveLength(502);
  const [first] = videos;
  expect(results[0].video_url).toBe(first && addressOf(first, 0));
});

test("a result comes into view on a phone without taking the focus, and outlasts a look at the saved videos", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  await extract(page, someVideos(12));
  await expect(extractButton(page)).toBeFocused();
  await expect(page.getByRole("heading", { name: "12 videos" })).toBeInViewport();
  await select(page, /^Select 1\./).check();
  await page.getByRole("link", { name: "Saved Videos" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Saved TikTok Videos" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "12 videos" })).toBeVisible();
  await expect(select(page, /^Select 1\./)).toBeChecked();
  await expect(field(page)).toHaveValue(/challenge-item-list/);
});
