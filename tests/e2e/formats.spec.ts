import { expect } from "@playwright/test";
import { images } from "./support/bulk.ts";
import { beginFormat, chooseClip, publishOpened } from "./support/formats.ts";
import { test } from "./support/test.ts";

test("a video goes from a file to a receipt, with a frame of it as the cover", async ({ page }) => {
  test.setTimeout(180_000);
  await beginFormat(page, "video");
  await chooseClip(page);
  await page.locator("video").evaluate(async (video: HTMLVideoElement) => {
    const seeked = new Promise((resolve) => video.addEventListener("seeked", resolve, { once: true }));
    video.currentTime = 3;
    await seeked;
  });
  await page.getByRole("button", { name: "Use this frame as the cover" }).click();
  await expect(page.getByText("The frame at 0:03")).toBeVisible();
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Title").fill("Baking bread");
  await page.getByRole("button", { name: "Create video pin" }).click();
  await expect(page.getByText("Your draft is in Generated Posts.")).toBeVisible({ timeout: 60_000 });
  const { details, link } = await publishOpened(page, "Baking bread");
  const video = details.locator("video");
  await expect.poll(() => video.evaluate((one: HTMLVideoElement) => Math.round(one.duration))).toBe(6);
  const there = await (await page.request.get(link)).text();
  expect(there).toMatch(/<video class="pin-video"[^>]* src="\/media\/\d+\.mp4"/);
});

test("a carousel goes from files to a receipt, with its slides in the chosen order", async ({ page }) => {
  test.setTimeout(180_000);
  await beginFormat(page, "carousel");
  await page.getByLabel(/^Choose 2 to 5 images/).setInputFiles(await images(3));
  await page.getByLabel("Title of slide 1").fill("Last");
  await page.getByRole("button", { name: "Move slide 1 down" }).click();
  await page.getByRole("button", { name: "Move slide 2 down" }).click();
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Title", { exact: true }).fill("Three walks");
  await page.getByRole("button", { name: "Create carousel" }).click();
  await expect(page.getByText("Your draft is in Generated Posts.")).toBeVisible({ timeout: 60_000 });
  const { details, link } = await publishOpened(page, "Three walks");
  await details.getByRole("button", { name: "Next slide" }).press("End");
  await expect(details.getByText("Slide 3 of 3")).toBeVisible();
  await expect(details.getByText("Last", { exact: true })).toBeVisible();
  const there = await (await page.request.get(link)).text();
  expect(there.match(/<img src="\/media\/[\d-]+\.jpg"/g)).toHaveLength(3);
});
