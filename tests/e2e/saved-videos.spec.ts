import { expect, type Page } from "@playwright/test";
import { COPIED_MS } from "#components/videos/video-texts.ts";
import { holdTimers, keepUndo } from "./support/hold-timers.ts";
import { dress, lookAt, looksFor } from "./support/looks.ts";
import { breakCall, connectQuickly, type SignedIn, signIn } from "./support/quick.ts";
import { expectRedBanner } from "./support/red-banner.ts";
import { test } from "./support/test.ts";
import { addressOf, type PageVideo, servePictures, someVideos } from "./support/video-page.ts";

const LIST = /\/api\/users\/save_tiktok_videos\//;
const cards = (page: Page) => page.locator("article[data-slot=video-card]");
const counts = (page: Page) => page.locator("[data-slot=saved-counts]");

const hashtagsIn = (caption: string): string[] => [...caption.matchAll(/#(\w+)/g)].map(([, tag]) => tag ?? "");

/** Saves videos over the documented call; the first of them is the first in the list. */
const save = async (page: Page, { token }: SignedIn, videos: readonly PageVideo[]): Promise<void> => {
  const body = videos.map((video, at) => ({
    id: at + 1,
    video_url: addressOf(video, at),
    title: video.caption,
    author: video.author,
    author_url: `https://www.tiktok.com/@${video.author}`,
    thumbnail_url: video.picture ?? null,
    views_count: video.views,
    date_posted: "2025-03-09",
    hashtags: hashtagsIn(video.caption),
  }));
  for (let from = 0; from < body.length; from += 500) {
    const answer = await page.request.post("/api/users/save_tiktok_videos/", {
      headers: { authorization: `Bearer ${token}` },
      data: { videos: body.slice(from, from + 500) },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }
};

const open = async (page: Page, query = ""): Promise<void> => {
  await page.goto(`/app/saved-videos${query}`);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

const one = (author: string, caption: string, views: string): PageVideo => ({ author, caption, views, picture: null });
const THREE = [
  one("moss", "Slow linen #linen #sea", "1.2K"),
  one("Ana.Bakes", "Bread at dawn #bread", "3M"),
  one("zoe", "Linen again #Linen", "987"),
];

test("R-SAV-04, R-SAV-05, R-SAV-06, R-SAV-07 search, hashtags, and how many videos and views they leave", async ({
  page,
}) => {
  const me = await signIn(page);
  await save(page, me, THREE);
  await open(page);
  await expect(page.getByRole("heading", { level: 1, name: "Saved TikTok Videos" })).toBeVisible();
  await expect(counts(page)).toHaveText("3 of 3 videos3,002,187 total views");
  const search = page.getByRole("searchbox", { name: "Search saved videos" });
  await search.fill("ana.bakes");
  await expect(counts(page)).toHaveText("1 of 3 videos3,000,000 total views");
  await expect(cards(page)).toHaveCount(1);
  await expect(page).toHaveURL(/q=ana\.bakes/);
  await search.fill("LINEN");
  await expect(counts(page)).toHaveText("2 of 3 videos2,187 total views");
  await search.press("Escape");
  await expect(cards(page)).toHaveCount(3);

  const hashtag = page.getByRole("combobox", { name: "Hashtag" });
  expect((await hashtag.locator("option").allInnerTexts()).map((text) => text.toLowerCase())).toEqual([
    "all hashtags",
    "#bread",
    "#linen",
    "#sea",
  ]);
  await hashtag.selectOption({ label: "#bread" });
  await expect(cards(page)).toHaveCount(1);
  await hashtag.selectOption("All Hashtags");
  await expect(cards(page)).toHaveCount(3);
  const chip = page.getByRole("button", { name: "#sea", exact: true });
  await chip.click();
  await expect(counts(page)).toHaveText("1 of 3 videos1,200 total views");
  await expect(chip).toHaveAttribute("aria-pressed", "true");
  await chip.click();
  await expect(cards(page)).toHaveCount(3);
  await page.goto("/app/saved-videos?q=bread");
  await expect(cards(page)).toHaveCount(1);
});

test("R-SAV-08, R-SAV-09, R-SAV-10, R-SAV-13, R-ERR-26, R-ERR-28 open, copy, delete after a question, and take it back", async ({
  page,
  context,
}) => {
  await holdTimers(page, COPIED_MS);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const me = await signIn(page);
  await save(page, me, THREE);
  await open(page);
  const card = cards(page).filter({ hasText: "Bread at dawn" });
  const [, bread] = THREE;
  // A kept video has one address, however its author's name was written.
  const address = bread ? addressOf(bread, 1).toLowerCase() : "";
  await expect(card.getByRole("link", { name: /^Open in TikTok/ })).toHaveAttribute("href", address);
  await card.getByRole("button", { name: /^Copy URL/ }).click();
  await expect(page.getByText("URL copied to clipboard!")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  const remove = card.getByRole("button", { name: /^Delete/ });
  const question = page.getByRole("dialog", { name: "Are you sure you want to delete this video?" });
  await remove.click();
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(remove).toBeFocused();
  await breakCall(page, /\/api\/users\/tiktok_videos\//);
  await remove.click();
  await question.getByRole("button", { name: "Delete" }).click();
  await expectRedBanner(page, "Failed to delete video. Please try again.");
  await expect(card).toHaveCount(1);

  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await remove.click();
  await question.getByRole("button", { name: "Delete" }).click();
  await keepUndo(page);
  await expect(card).toHaveCount(0);
  await expect(counts(page)).toHaveText("2 of 2 videos2,187 total views");
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card).toHaveCount(1);
  await expect(counts(page)).toHaveText("3 of 3 videos3,002,187 total views");
  await page.reload();
  await expect(cards(page)).toHaveCount(3);
});

test("R-SAV-03, R-SAV-11, R-SAV-12, R-ERR-26, R-ERR-28 nothing saved, nothing found, and a list that cannot be loaded", async ({
  page,
}) => {
  const me = await signIn(page);
  await open(page);
  await expect(page.getByRole("heading", { name: "No saved videos found." })).toBeVisible();
  await expect(page.getByRole("link", { name: "Extract TikTok Videos" })).toHaveAttribute("href", "/app/videos");
  await page.getByRole("link", { name: "Extract New Videos" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Videos" })).toBeVisible();
  await save(page, me, THREE);
  await open(page, "?q=nowhere");
  await expect(page.getByRole("heading", { name: "No saved videos found." })).toBeVisible();
  await page.getByRole("button", { name: "Show all videos" }).click();
  await expect(cards(page)).toHaveCount(3);
  await breakCall(page, LIST);
  await open(page);
  await expectRedBanner(page, "Failed to load videos. Please try again.");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(cards(page)).toHaveCount(3);
  await expect(page.locator(".banner-failed")).toHaveCount(0);
});

test("many videos come page by page; several are deleted together and come back together", async ({ page }) => {
  // A browser may tell twice that the end is near before anything was drawn.
  await page.addInitScript(() => {
    const Observer = window.IntersectionObserver;
    window.IntersectionObserver = class extends Observer {
      constructor(tell: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        super((...news) => [tell(...news), tell(...news)], options);
      }
    };
  });
  const me = await signIn(page);
  await servePictures(page);
  await save(page, me, someVideos(60));
  await open(page);
  await expect(counts(page)).toContainText("60 of 60 videos");
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(cards(page)).toHaveCount(60, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
  for (const start of [/^Select 1\./, /^Select 3\./, /^Select 60\./]) {
    await page.getByRole("checkbox", { name: start }).check();
  }
  await page.getByRole("button", { name: "Delete selected" }).click();
  await keepUndo(page);
  await expect(page.getByText("3 videos deleted")).toBeVisible();
  await expect(cards(page)).toHaveCount(57);
  await expect(counts(page)).toContainText("57 of 57 videos");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("3 videos are back")).toBeVisible();
  await expect(cards(page)).toHaveCount(60);
});

test("tags and notes are kept; a video's words become keywords once one says that one may use the idea", async ({
  page,
}) => {
  const me = await signIn(page);
  await connectQuickly(page, me.token);
  await save(page, me, THREE);
  await open(page);
  const card = cards(page).filter({ hasText: "Slow linen" });
  await card.getByRole("button", { name: /^Add tags or notes/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Tags" }).fill("spring, #board, Spring");
  await dialog.getByRole("textbox", { name: "Notes" }).fill("Try it in green.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(card.getByRole("list", { name: "Your tags" }).getByRole("listitem")).toHaveText(["spring", "board"]);
  await page.reload();
  await expect(card.getByText("Try it in green.")).toBeVisible();
  await card.getByRole("button", { name: /^Make pins from this/ }).click();
  const start = dialog.getByRole("button", { name: "Open the creator" });
  await expect(start).toBeDisabled();
  const keywords = await dialog.getByRole("group", { name: "Keywords" }).getByRole("checkbox").count();
  expect(keywords).toBeGreaterThan(0);
  await dialog.getByRole("checkbox", { name: /right to use this idea/ }).check();
  await start.click();
  await page.waitForURL(/-creator\?keyword=/);
  await expect(page.getByLabel("Keyword 1", { exact: true })).not.toHaveValue("");
  await expect(page.getByRole("textbox", { name: /^Keyword \d+$/ })).toHaveCount(keywords);
});

test("R-SAV-01 saved videos with none, three and two hundred, at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  await servePictures(page);
  const me = await signIn(page);
  // Loaded in each theme: of two hundred cards the browser turns the colours of those out of sight when it gets to them.
  const each = async (name: "saved-0" | "saved-3" | "saved-200") => {
    for (const { width, theme } of looksFor(name)) {
      await dress(page, width, theme);
      await open(page);
      await lookAt(page, `${name}-${width}-${theme}`);
    }
  };
  await each("saved-0");
  await save(page, me, THREE);
  await each("saved-3");
  await save(page, me, someVideos(200));
  await each("saved-200");
  await connectQuickly(page, me.token);
  const dialog = page.getByRole("dialog");
  for (const { width, theme } of looksFor("saved-dialogs")) {
    await dress(page, width, theme);
    await open(page);
    for (const name of ["Make pins from this", "Add tags or notes", "Delete"]) {
      await page
        .getByRole("button", { name: new RegExp(`^${name} ?: `) })
        .first()
        .click();
      await expect(dialog).toBeVisible();
      await lookAt(page, `saved-${name.split(" ")[0]?.toLowerCase()}-${width}-${theme}`);
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
    }
  }
});
