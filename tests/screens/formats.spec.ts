import { expect } from "@playwright/test";
import type { PinId } from "#lib/core/ids.ts";
import { images } from "#tests/e2e/support/bulk.ts";
import { beginFormat, chooseClip, clip } from "#tests/e2e/support/formats.ts";
import { connectQuickly, fixtures, insertPins, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

test("the forms of videos and carousels at every width in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  await beginFormat(page, "video");
  await chooseClip(page);
  await page.getByRole("button", { name: "Create video pin" }).click();
  await expect(page.getByText("Enter a title.")).toBeVisible();
  await checkAppearances(page, "create-video");
  await page.getByRole("link", { name: "Carousel" }).click();
  await page.getByLabel(/^Choose 2 to 5 images/).setInputFiles(await images(3));
  await page.getByRole("button", { name: "Create carousel" }).click();
  await expect(page.getByText("Enter a title.")).toBeVisible();
  await checkAppearances(page, "create-carousel");
});

test("details of a video and a carousel at every width in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  const titles = ["Baking bread", "Three walks", "A second walk", "A third walk"];
  const [video, ...walks] = (await insertPins(
    id,
    titles.map((title) => ({ title })),
  )) as PinId[];
  await fixtures().video(video as PinId, clip());
  await fixtures().slides(walks, ["First", "Second", "Third"]);
  const details = page.getByRole("dialog", { name: "Pin Details" });
  await page.goto(`/app/generated-posts?account=${id}`);
  await page.getByRole("button", { name: "Pin Details: Baking bread" }).click();
  await expect(details.locator("video")).toBeVisible();
  await checkAppearances(page, "details-video");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Pin Details: Three walks" }).click();
  await expect(details.getByText("Slide 1 of 3")).toBeVisible();
  await checkAppearances(page, "details-carousel");
});
