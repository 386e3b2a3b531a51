import { expect, type Locator, type Page } from "@playwright/test";
import { letPass, ownClock, stopClock } from "./support/clock.ts";
import { signIn } from "./support/quick.ts";
import { expectRedBanner } from "./support/red-banner.ts";
import { test } from "./support/test.ts";
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

test("R-VID-27, R-VID-28, R-VID-29 a saving in two parts: what is kept when the second fails, and the order of the library", async ({
  page,
}) => {
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

/** The edges of what is shown, in pixels of the window. */
const edgesOf = (one: Locator) =>
  one.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return { top: Math.round(top), bottom: Math.round(bottom) };
  });

test("a result comes into view on a phone without taking the focus, and outlasts a look at any other screen", async ({
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
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.getByRole("link", { name: "Videos", exact: true }).click();
  await expect(page.getByRole("heading", { name: "12 videos" })).toBeVisible();
  await expect(page).toHaveURL(/\/app\/videos$/);
  await expect(select(page, /^Select 1\./)).toBeChecked();
  await expect(field(page)).toHaveValue(/challenge-item-list/);
  // What was read before is not news.
  await expect(page.getByRole("status").filter({ hasText: "12 videos found" })).toHaveCount(0);
  // The worker that has read the page still answers for it.
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByRole("region", { name: "Selected Videos Stats" })).toBeVisible();
});

test("R-VID-12, R-VID-13, R-TIME-06, R-ERR-25, R-ERR-28 copying says so for two seconds, and why it failed", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await ownClock(page);
  await signIn(page);
  await openExtractor(page);
  const videos = someVideos(2).map((video) => ({ ...video, picture: null }));
  await extract(page, videos);
  await stopClock(page);
  await page.locator("article[data-slot=video-card]").first().getByRole("button", { name: /^Copy/ }).click();
  const said = page.getByText("URL copied to clipboard!");
  // Copying ends when the browser says so; what says it is drawn by timers.
  await expect(async () => {
    await letPass(page, 10);
    await expect(said).toBeVisible({ timeout: 250 });
  }).toPass();
  const [first] = videos;
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first && addressOf(first, 0));
  await letPass(page, 1_500);
  await expect(said).toBeVisible();
  await letPass(page, 1_000);
  await expect(said).toHaveCount(0);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("Write permission denied."));
  });
  await page.locator("article[data-slot=video-card]").first().getByRole("button", { name: /^Copy/ }).click();
  await expectRedBanner(page, "Could not copy text: Write permission denied.");
});

test("R-VID-05, R-VID-06, R-VID-07, R-VID-08, R-VID-09 a video saved with its address alone says what is not known", async ({
  page,
}) => {
  const { token } = await signIn(page);
  const answer = await page.request.post("/api/users/save_tiktok_videos/", {
    headers: { authorization: `Bearer ${token}` },
    data: { videos: [{ id: 1, video_url: "https://www.tiktok.com/@zoe/video/1234567", hashtags: [] }] },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto("/app/saved-videos");
  const card = page.locator("article[data-slot=video-card]");
  await expect(card.getByRole("link", { name: "Untitled TikTok Video", exact: true })).toBeVisible();
  await expect(card.locator("[data-slot=video-views]")).toHaveText("Views: N/A");
  for (const text of ["No Thumbnail", "Unknown date", "No description available"]) {
    await expect(card.getByText(text, { exact: true })).toBeVisible();
  }
  await expect(card.locator("[data-slot=video-by]")).toHaveText("Unknown · Unknown date");
  await expect(card.getByRole("link", { name: /@/ })).toHaveCount(0);
});

test("a page that holds as many videos as the one before is told of again, and one without any as well", async ({
  page,
}) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  // What a reader of the screen hears: each text that comes anew into a place that is read out.
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    const hear = ({ addedNodes, target }: MutationRecord) => {
      const isLive = (target instanceof Element ? target : target.parentElement)?.closest("[role=status]");
      for (const node of addedNodes) if (isLive && node.textContent) heard.push(node.textContent);
    };
    new MutationObserver((all) => all.forEach(hear)).observe(document.body, { childList: true, subtree: true });
  });
  const heard = (words: string) =>
    page.evaluate(
      (part) => (window as unknown as { heard: string[] }).heard.filter((text) => text.includes(part)).length,
      words,
    );
  await extract(page, someVideos(3));
  await expect.poll(() => heard("3 videos found")).toBe(1);
  await extractButton(page).click();
  await expect.poll(() => heard("3 videos found")).toBe(2);
  for (const times of [1, 2]) {
    await field(page).fill(`<p>Nothing here ${times}</p>`);
    await extractButton(page).click();
    await expect.poll(() => heard("No videos found in the pasted HTML.")).toBe(times);
  }
});

for (const width of [390, 1440]) {
  test(`R-VID-15, R-VID-29 at ${width} px selection and news stay in view one below the other, until the next deed`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    await servePictures(page);
    await signIn(page);
    await openExtractor(page);
    await extract(page, someVideos(40));
    await select(page, /^Select 1\./).check();
    const line = page.locator("[data-slot=video-selection]");
    const news = page.locator("[data-slot=video-news] .banner");
    const scroll = () => page.evaluate(() => window.scrollTo(0, 2_000));
    await scroll();
    await expect(line).toBeInViewport({ ratio: 1 });
    const alone = await edgesOf(line);
    expect(alone.top).toBeLessThan(100);

    // Words of two lines and more at this width.
    const words = "The library could not take them, for a reason that needs many words. ".repeat(width < 700 ? 2 : 4);
    const refuse = () =>
      page.route(
        "**/api/users/save_tiktok_videos/",
        (route) => route.fulfill({ status: 500, json: { error: words } }),
        {
          times: 1,
        },
      );
    await refuse();
    await line.getByRole("button", { name: "Save selected" }).click();
    await expect(news).toContainText("for a reason that needs many words");
    await scroll();
    await expect(news).toBeInViewport({ ratio: 1 });
    await expect(line).toBeInViewport({ ratio: 1 });
    expect((await edgesOf(line)).top).toBeGreaterThanOrEqual((await edgesOf(news)).bottom);

    // What was said of one selection is gone with it; the line goes back to its place.
    await page.locator("article[data-slot=video-card] [data-slot=video-pick]:not(:checked)").first().check();
    await expect(news).toHaveCount(0);
    await scroll();
    await expect.poll(() => edgesOf(line)).toEqual(alone);
    for (const next of ["Select All", "Dismiss"]) {
      await refuse();
      await line.getByRole("button", { name: "Save selected" }).click();
      await expect(news).toBeVisible();
      await page.getByRole("button", { name: next, exact: true }).click();
      await expect(news).toHaveCount(0);
    }
    await refuse();
    await line.getByRole("button", { name: "Save selected" }).click();
    await expect(news).toBeVisible();
    await page.getByRole("tab", { name: "Analytics" }).click();
    await expect(news).toHaveCount(0);
  });
}
