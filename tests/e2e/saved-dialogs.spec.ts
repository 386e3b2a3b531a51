import { expect, type Page } from "@playwright/test";
import { holdCall } from "./support/hold-call.ts";
import { connect } from "./support/person.ts";
import { signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

/** Somebody with this many saved videos and no account, on their screen. */
const openSaved = async (page: Page, count = 1): Promise<void> => {
  const { token } = await signIn(page);
  const videos = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    video_url: `https://www.tiktok.com/@moss/video/${7473000000000000001n + BigInt(at)}`,
    title: `${at + 1}. Slow linen #linen`,
    author: "moss",
    author_url: "https://www.tiktok.com/@moss",
    thumbnail_url: null,
    views_count: "1.2K",
    date_posted: "2025-03-09",
    hashtags: ["linen"],
  }));
  const answer = await page.request.post("/api/users/save_tiktok_videos/", {
    headers: { authorization: `Bearer ${token}` },
    data: { videos },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto("/app/saved-videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

test("written notes are given up only by somebody who says so; a tag that is too long is told where it stands", async ({
  page,
}) => {
  await openSaved(page);
  await page.getByRole("button", { name: /^Add tags or notes/ }).click();
  const notes = page.getByRole("textbox", { name: "Notes" });
  await notes.fill("Try it in green.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(notes).toHaveValue("Try it in green.");
  // A dialog hears keys again some time after the one above it has gone.
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.getByRole("button", { name: /^Add tags or notes/ }).click();
  const tags = page.getByRole("textbox", { name: "Tags" });
  await tags.fill("x".repeat(51));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("A tag may have at most 50 characters.")).toBeVisible();
  await expect(tags).toBeFocused();
  await expect(tags).toHaveAttribute("aria-invalid", "true");
});

test("the words chosen for pins outlast connecting the first account, and go to the creator", async ({ page }) => {
  await openSaved(page);
  await page.getByRole("button", { name: /^Make pins from this/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("No Pinterest account is connected yet");
  const start = dialog.getByRole("button", { name: "Connect Account" });
  await expect(start).toBeDisabled();
  const words = await dialog.getByRole("group", { name: "Keywords" }).getByRole("checkbox").count();
  expect(words).toBeGreaterThan(0);
  await dialog.getByRole("checkbox", { name: /right to use this idea/ }).check();
  await start.click();
  await expect(page.getByText(/^Your keywords wait until an account is connected/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Open the creator" })).toHaveCount(0);
  await connect(page, "juniper.studio");
  await expect(page.getByText(/^Your keywords are ready to become pins/)).toBeVisible();
  // An account that is lost makes no pins.
  const accounts = "**/api/users/pinterest/accounts/";
  const known: unknown = await (await page.request.get("/api/users/pinterest/accounts/")).json();
  const lost = Array.isArray(known) && known.map((one: object) => ({ ...one, status: "reconnect_needed" }));
  await page.route(accounts, (route) => route.fulfill({ json: lost }));
  await page.reload();
  await expect(page.getByText(/^Your keywords wait until an account is connected/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Open the creator" })).toHaveCount(0);
  await page.unroute(accounts);
  await page.reload();
  await page.getByRole("link", { name: "Open the creator" }).click();
  await page.waitForURL(/-creator\?keyword=/);
  await expect(page.getByRole("textbox", { name: /^Keyword \d+$/ })).toHaveCount(words);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "juniper.studio" })).toBeVisible();
  await expect(page.getByText(/^Your keywords/)).toHaveCount(0);
});

test("R-SAV-11 the last video deleted leaves an empty library; its Undo goes when pressed, and with the screen", async ({
  page,
}) => {
  await openSaved(page);
  const empty = page.getByRole("heading", { name: "No saved videos found." });
  const undo = page.getByRole("button", { name: "Undo" });
  const remove = async () => {
    await page.getByRole("checkbox", { name: /^Select 1\./ }).check();
    await page.getByRole("button", { name: "Delete selected" }).click();
    await expect(empty).toBeVisible();
  };
  await remove();
  await expect(page.getByRole("searchbox")).toHaveCount(0);
  await expect(page.getByText("1 video selected")).toHaveCount(0);
  await undo.click();
  await expect(page.getByText("Video is back")).toBeVisible();
  await expect(page.getByText("Video deleted")).toHaveCount(0);
  await expect(empty).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toBeVisible();

  await remove();
  // Under the pointer a toast stays as long as it may.
  await undo.hover();
  await page.getByRole("link", { name: "Extract TikTok Videos" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Videos" })).toBeVisible();
  await expect(undo).toHaveCount(0);
});

test("R-SAV-04, R-SAV-11 a page of a search that was left comes late and brings no deleted video back", async ({
  page,
}) => {
  await openSaved(page, 60);
  const cards = page.locator("article[data-slot=video-card]");
  const held = await holdCall(page, /[?&]cursor=/);
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    expect(held.count()).toBeGreaterThan(0);
  }).toPass({ timeout: 30_000 });
  await page.getByRole("searchbox", { name: "Search saved videos" }).fill("60.");
  await expect(cards).toHaveCount(1);
  await page.getByRole("checkbox", { name: /^Select 60\./ }).check();
  await page.getByRole("button", { name: "Delete selected" }).click();
  await expect(cards).toHaveCount(0);
  const late = page.waitForResponse(/[?&]cursor=/);
  held.release();
  await (await late).finished();
  await afterEffects(page);
  await expect(cards).toHaveCount(0);
});
