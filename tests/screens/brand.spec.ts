import { expect, type Page } from "@playwright/test";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";
import { photo } from "#tests/support/sample-images.ts";

const shown = (page: Page) => page.getByRole("img", { name: /^Preview: / });
const logoFile = (page: Page) => page.getByLabel("Logo file");

/** Waits for the preview of the current choice; while it is stale, it is dimmed. */
const untilDrawn = async (page: Page) => {
  await expect(shown(page)).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 30_000 });
};

const open = async (page: Page) => {
  const { who, token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await untilDrawn(page);
  return { who, token, account };
};

test("the screen is accessible at every width, in light and dark", { tag: "@screens" }, async ({ page }) => {
  await open(page);
  const buffer = await photo(400, 300);
  await logoFile(page).setInputFiles({ name: "logo.jpg", mimeType: "image/jpeg", buffer });
  await expect(page.getByRole("img", { name: "Your logo" })).toBeVisible();
  for (const { width, theme } of appearancesFor("brand")) {
    await setAppearance(page, width, theme);
    await untilDrawn(page);
    await checkScreen(page, `brand-${width}-${theme}`);
  }
});
