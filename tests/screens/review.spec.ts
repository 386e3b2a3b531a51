import { expect } from "@playwright/test";
import { makeDrafts } from "#tests/e2e/support/drafts.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";
import { photo } from "#tests/support/sample-images.ts";

test("R-BULK-07, A-15 the review and its end at every width in both themes, with a wide image uncropped", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(240_000);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  const titles = ["A wide one from the garden behind the house, with a longer title", "Moss walls"];
  await makeDrafts(page, { token, accountId: id, url: "http://127.0.0.1/", image: await photo(600, 900) }, titles);
  const check = async (name: "review" | "review-end") => {
    for (const { width, theme } of appearancesFor(name)) {
      await setAppearance(page, width, theme);
      await checkScreen(page, `${name}-${width}-${theme}`);
    }
  };
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  const face = page.locator("[data-slot=review-card] .pin-face").first();
  await expect(face.locator("img")).toHaveCSS("object-fit", "contain");
  expect(await face.evaluate((one) => one.clientWidth / one.clientHeight)).toBeCloseTo(9 / 14, 2);
  await check("review");
  await page.keyboard.press("a");
  await page.keyboard.press("x");
  await expect(page.getByRole("heading", { name: "All reviewed" })).toBeVisible();
  await check("review-end");
});
