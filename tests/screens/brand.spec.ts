import { expect, type Page } from "@playwright/test";
import { dress, lookAt, looksFor } from "#tests/e2e/support/looks.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { test } from "#tests/e2e/support/test.ts";
import { photo } from "#tests/support/sample-pictures.ts";

const shown = (page: Page) => page.getByRole("img", { name: /^Preview: / });
const logoFile = (page: Page) => page.getByLabel("Logo file");

/** Until the preview of what is chosen is there: while it is drawn, the one before is pale. */
const drawn = async (page: Page) => {
  await expect(shown(page)).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 30_000 });
};

const open = async (page: Page) => {
  const { who, token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await drawn(page);
  return { who, token, account };
};

test("the screen can be used by everybody, at every width, by day and by night", { tag: "@screens" }, async ({
  page,
}) => {
  await open(page);
  const buffer = await photo(400, 300);
  await logoFile(page).setInputFiles({ name: "logo.jpg", mimeType: "image/jpeg", buffer });
  await expect(page.getByRole("img", { name: "Your logo" })).toBeVisible();
  for (const { width, theme } of looksFor("brand")) {
    await dress(page, width, theme);
    await drawn(page);
    await lookAt(page, `brand-${width}-${theme}`);
  }
});
