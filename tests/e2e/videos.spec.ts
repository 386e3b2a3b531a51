import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { signIn } from "./support/quick.ts";
import { expectRedBanner } from "./support/red-banner.ts";
import { test } from "./support/test.ts";
import { addressOf, type PageVideo, pageOf, pastePage, servePictures, someVideos } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });
const cards = (page: Page) => page.locator("article[data-slot=video-card]");

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

const select = (page: Page, start: RegExp) => page.getByRole("checkbox", { name: start });

test("R-VID-01, R-VID-02, R-VID-03, R-VID-21, A-77 paste, read, read another page, and one without videos", async ({
  page,
}) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  const analytics = page.getByRole("tab", { name: "Analytics" });
  await expect(extractButton(page)).toBeDisabled();
  await expect(analytics).toBeDisabled();
  await field(page).fill("   ");
  await expect(extractButton(page)).toBeDisabled();

  await field(page).fill("");
  await extract(page, someVideos(3));
  await expect(page.getByRole("heading", { name: "3 videos" })).toBeVisible();
  await expect(analytics).toBeEnabled();
  await select(page, /^Select 1\./).check();
  await page.getByRole("button", { name: "Save 1 Video(s) to API" }).click();
  await expect(page.getByRole("heading", { name: "API Response" })).toBeVisible();

  // The paste outlasts a look at the other tab.
  await analytics.click();
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
  await expect(page.locator(".banner", { hasText: "No videos found in the pasted HTML." })).toBeVisible();
  await expect(page.locator(".banner-failed")).toHaveCount(0);
  await expect(cards(page)).toHaveCount(0);
  await expect(analytics).toBeDisabled();
});

test("R-VID-04, R-VID-05, R-VID-06, R-VID-07, R-VID-08, R-VID-09, R-VID-10, R-VID-11, R-CONST-17 a card shows what is there, and says what is not", async ({
  page,
}) => {
  const seen = await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  const full = {
    author: "moss",
    caption: "Slow linen #a1 #b2 #c3 #d4 #e5 #f6 #g7",
    views: "1.2M",
    picture: "https://pictures.example/1.svg",
  };
  const gone = { ...full, author: "ana", caption: "Gone", picture: "https://pictures.example/gone.svg" };
  const bare = { author: "zoe", caption: "", views: "", picture: null };
  await extract(page, [full, gone, bare]);
  const [first, second, third] = [0, 1, 2].map((at) => cards(page).nth(at));
  if (!first || !second || !third) throw new Error("three cards");
  await expect(first.locator("img")).toHaveAttribute("referrerpolicy", "no-referrer");
  await expect(first).toContainText("1.2M");
  const link = first.getByRole("link", { name: /Slow linen/ }).first();
  await expect(link).toHaveAttribute("href", addressOf(full, 0));
  await expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
  await expect(first.getByRole("link", { name: "@moss" })).toHaveAttribute("href", "https://www.tiktok.com/@moss");
  await expect(first.getByText("2025-02-19", { exact: true })).toBeVisible();
  await expect(first.locator("[data-slot=video-words]")).toContainText("Slow linen");
  await expect(first.getByRole("listitem").filter({ hasText: "#" })).toHaveCount(5);
  await expect(first.getByText("+2 more")).toBeVisible();
  await expect(first.getByRole("button", { name: /^Copy/ })).toBeVisible();
  await expect(first.getByRole("link", { name: /^Open/ })).toHaveAttribute("href", addressOf(full, 0));
  await expect(second.getByText("No Thumbnail")).toBeVisible();
  await expect(third.getByText("No Thumbnail")).toBeVisible();
  await expect(third.getByRole("link", { name: "Untitled TikTok Video" }).first()).toBeVisible();
  await expect(third.getByText("No description available")).toBeVisible();
  await expect(third.getByText("N/A")).toBeVisible();
  expect(seen.asked.length).toBeGreaterThan(0);
  expect(seen.referrers.filter(Boolean)).toEqual([]);
});

test("R-VID-14, R-VID-15, R-VID-16 select by picture, box, keyboard and all at once", async ({ page }) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  await extract(page, someVideos(6));
  const count = (text: string) => expect(page.getByText(text)).toBeVisible();
  await cards(page).nth(1).locator("img").click();
  await count("1 video selected");
  await cards(page).nth(1).locator("img").click();
  await expect(page.getByText(/videos? selected/)).toHaveCount(0);
  await select(page, /^Select 1\./).focus();
  await page.keyboard.press("Space");
  await count("1 video selected");
  await page.getByRole("button", { name: "Select All", exact: true }).click();
  await count("6 videos selected");
  await page.getByRole("button", { name: "Deselect All" }).click();
  await expect(page.getByText(/videos? selected/)).toHaveCount(0);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("l");
  await count("6 videos selected");
  await page.getByRole("button", { name: "Clear", exact: true }).first().click();
  await page.keyboard.press("/");
  await page.keyboard.type("bread");
  const shown = someVideos(6).filter(({ caption, author }) => `${caption} ${author}`.includes("bread")).length;
  await expect(page.getByRole("heading", { name: `${shown} of 6 videos` })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "6 videos" })).toBeVisible();
});

test("R-VID-17, R-VID-20, R-VID-26, R-VID-27, R-VID-28, R-VID-29, R-ERR-25, R-ERR-28, A-69 saving: nothing chosen, refused, done", async ({
  page,
}) => {
  await servePictures(page);
  const { token } = await signIn(page);
  await openExtractor(page);
  await extract(page, someVideos(4));
  await page.getByRole("button", { name: "Save 0 Video(s) to API" }).click();
  await expectRedBanner(page, "Please select at least one video to save");
  await select(page, /^Select 1\./).check();
  await select(page, /^Select 2\./).check();
  const call = "**/api/users/save_tiktok_videos/";
  await page.route(call, (route) => route.fulfill({ status: 500, json: { error: "Broken for a test." } }), {
    times: 1,
  });
  await page.getByRole("button", { name: "Save 2 Video(s) to API" }).click();
  await expectRedBanner(page, "Error saving videos: Broken for a test.");
  await page.getByRole("button", { name: "Save 2 Video(s) to API" }).click();
  await expect(page.locator(".banner-success")).toHaveText("Successfully saved 2 videos!");
  await expect(page.locator(".banner-failed")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "API Response" })).toContainText("Successfully saved 2 videos!");
  const answer = await page.request.get("/api/users/save_tiktok_videos/", {
    headers: { authorization: `Bearer ${token}` },
  });
  const { results } = await answer.json();
  expect(results).toHaveLength(2);
});

const download = async (page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> => {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
};

test("R-VID-18, R-VID-19, R-CONST-19, A-80 exports: the chosen ones, or all, in four formats", async ({ page }) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  await extract(page, someVideos(5));
  const press = (name: string) => page.getByRole("button", { name }).click();
  const json = await download(page, () => press("Export JSON"));
  expect([json.name, JSON.parse(json.text).length]).toEqual(["tiktok_videos.json", 5]);
  await select(page, /^Select 2\./).check();
  await select(page, /^Select 4\./).check();
  const csv = await download(page, () => press("Export CSV"));
  expect(csv.name).toBe("tiktok_videos.csv");
  expect(csv.text.trimEnd().split("\r\n")).toHaveLength(3);
  const more = (name: string) => press("More formats").then(() => page.getByRole("menuitem", { name }).click());
  const lines = await download(page, () => more("Export NDJSON"));
  expect([lines.name, lines.text.trimEnd().split("\n").length]).toEqual(["tiktok_videos.ndjson", 2]);
  const sheet = await download(page, () => more("Export XLSX"));
  expect([sheet.name, sheet.text.slice(0, 2)]).toEqual(["tiktok_videos.xlsx", "PK"]);
});

test("R-VAN-01, R-VAN-02, R-VAN-03, R-VAN-04, R-VAN-05 what a page's videos have in common, in figures, tables and bars", async ({
  page,
}) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  const one = (author: string, caption: string, views: string): PageVideo => ({
    author,
    caption,
    views,
    picture: null,
  });
  await extract(page, [
    one("moss", "1. #linen #sea", "1.2K"),
    one("moss", "2. #linen", "3M"),
    one("ana", "3. bread", "987"),
  ]);
  await page.getByRole("tab", { name: "Analytics" }).click();
  const panel = page.getByRole("tabpanel");
  const figures = await panel.locator("[data-slot=stat]").allInnerTexts();
  expect(figures.map((text) => text.split(/\s*\n\s*/))).toEqual([
    ["Total Videos", "3"],
    ["Total Views", "3,002,187"],
    ["Unique Creators", "2"],
    ["Avg Hashtags per Video", "1.0"],
  ]);
  const rows = (name: string) => page.getByRole("table", { name }).locator("tbody tr").allInnerTexts();
  expect((await rows("Top Hashtags")).map((row) => row.split("\t"))).toEqual([
    ["#linen", "2", "66.7%"],
    ["#sea", "1", "33.3%"],
  ]);
  expect((await rows("Top Creators")).map((row) => row.split("\t"))).toEqual([
    ["@moss", "2", "3,001,200"],
    ["@ana", "1", "987"],
  ]);
  await expect(panel.locator("[data-slot=chart] svg.recharts-surface")).toHaveCount(2);
  await expect(page.getByText("Selected Videos Stats")).toHaveCount(0);
  const height = await panel
    .locator("[data-slot=figures-scroll]")
    .first()
    .evaluate((part) => getComputedStyle(part).maxHeight);
  expect(height).toBe("384px");

  await page.getByRole("tab", { name: "Extractor" }).click();
  await select(page, /^Select 3\./).check();
  await page.getByRole("tab", { name: "Analytics" }).click();
  const chosen = page.getByRole("region", { name: "Selected Videos Stats" });
  await expect(chosen).toContainText("987");
  await expect(chosen).toContainText("No hashtags");
});
