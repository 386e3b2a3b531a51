import { expect, test } from "@playwright/test";
import { signIn } from "./support/quick.ts";

test("written notes are given up only by somebody who says so; pins need a connected account", async ({ page }) => {
  const { token } = await signIn(page);
  const video = {
    id: 1,
    video_url: "https://www.tiktok.com/@moss/video/7473000000000000001",
    title: "Slow linen #linen",
    author: "moss",
    author_url: "https://www.tiktok.com/@moss",
    thumbnail_url: null,
    views_count: "1.2K",
    date_posted: "2025-03-09",
    hashtags: ["linen"],
  };
  const answer = await page.request.post("/api/users/save_tiktok_videos/", {
    headers: { authorization: `Bearer ${token}` },
    data: { videos: [video] },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto("/app/saved-videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  await page.getByRole("button", { name: /^Add tags or notes/ }).click();
  const notes = page.getByRole("textbox", { name: "Notes" });
  await notes.fill("Try it in green.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(notes).toHaveValue("Try it in green.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: /^Make pins from this/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("No Pinterest account is connected yet.");
  await expect(dialog.getByRole("link", { name: "Connect Account" })).toHaveAttribute("href", "/app");
});
