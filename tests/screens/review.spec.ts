import { expect } from "@playwright/test";
import { makeDrafts } from "#tests/e2e/support/drafts.ts";
import { dress, lookAt, looksFor } from "#tests/e2e/support/looks.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { test } from "#tests/e2e/support/test.ts";
import { photo } from "#tests/support/sample-pictures.ts";

test("D9, R-BULK-07, A-15 the review and its end at every width, by day and by night, with a wide picture whole in its frame", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(240_000);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  const titles = ["A wide one from the garden behind the house, with a longer title", "Moss walls"];
  await makeDrafts(page, { token, accountId: id, url: "http://127.0.0.1/", picture: await photo(600, 900) }, titles);
  const look = async (name: "review" | "review-end") => {
    for (const { width, theme } of looksFor(name)) {
      await dress(page, width, theme);
      await lookAt(page, `${name}-${width}-${theme}`);
    }
  };
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  const face = page.locator("[data-slot=review-card] .pin-face").first();
  await expect(face.locator("img")).toHaveCSS("object-fit", "contain");
  expect(await face.evaluate((one) => one.clientWidth / one.clientHeight)).toBeCloseTo(9 / 14, 2);
  await look("review");
  await page.keyboard.press("a");
  await page.keyboard.press("x");
  await expect(page.getByRole("heading", { name: "All looked at" })).toBeVisible();
  await look("review-end");
});
