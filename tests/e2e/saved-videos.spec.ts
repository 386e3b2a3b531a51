import { expect, type Page } from "@playwright/test";
import { type PageVideo, someVideos, urlOf } from "#tests/support/tiktok-page.ts";
import { connectQuickly, type SignedIn, signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";
import { serveImages } from "./support/video-page.ts";

const hashtagsIn = (caption: string): string[] => [...caption.matchAll(/#(\w+)/g)].map(([, tag]) => tag ?? "");

/** Saves videos through the API, in list order. */
const save = async (page: Page, { token }: SignedIn, videos: readonly PageVideo[]): Promise<void> => {
  const body = videos.map((video, at) => ({
    id: at + 1,
    video_url: urlOf(video, at),
    title: video.caption,
    author: video.author,
    author_url: `https://www.tiktok.com/@${video.author}`,
    thumbnail_url: video.image ?? null,
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

const one = (author: string, caption: string, views: string): PageVideo => ({ author, caption, views, image: null });
const THREE = [
  one("moss", "Slow linen #linen #sea", "1.2K"),
  one("Ana.Bakes", "Bread at dawn #bread", "3M"),
  one("zoe", "Linen again #Linen", "987"),
];

test("R-SAV-01 saved videos with none, three and two hundred, at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  await serveImages(page);
  const me = await signIn(page);
  // Reloaded for each theme, because the browser recolors off-screen cards only when they are scrolled to.
  const each = async (name: "saved-0" | "saved-3" | "saved-200") => {
    for (const { width, theme } of appearancesFor(name)) {
      await setAppearance(page, width, theme);
      await open(page);
      await checkScreen(page, `${name}-${width}-${theme}`);
    }
  };
  await each("saved-0");
  await save(page, me, THREE);
  await each("saved-3");
  await save(page, me, someVideos(200));
  await each("saved-200");
  await connectQuickly(page, me.token);
  const dialog = page.getByRole("dialog");
  for (const { width, theme } of appearancesFor("saved-dialogs")) {
    await setAppearance(page, width, theme);
    await open(page);
    for (const name of ["Create pins from this", "Add tags or notes", "Delete"]) {
      await page
        .getByRole("button", { name: new RegExp(`^${name} ?: `) })
        .first()
        .click();
      await expect(dialog).toBeVisible();
      await checkScreen(page, `saved-${name.split(" ")[0]?.toLowerCase()}-${width}-${theme}`);
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
    }
  }
});
