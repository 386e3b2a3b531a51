import { expect, type Page } from "@playwright/test";
import { CREDITS_HISTORY_PATH } from "#lib/core/paths.ts";
import { HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import { grant } from "./support/grant.ts";
import { connectQuickly, generateQuickly, signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const rows = (page: Page) => page.getByRole("table", { name: "Credits" }).locator("tbody tr");

const openHistory = async (page: Page): Promise<void> => {
  await page.goto(CREDITS_HISTORY_PATH);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: HISTORY_TEXTS.title })).toBeVisible();
};

test("every change of credits has a text and the balance after it, and new entries appear while the page is open", {
  tag: "@screens",
}, async ({ page }) => {
  const { who, token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await grant(who.email, 20);
  await generateQuickly(page, token, id, ["linen bedroom", "oak shelf"]);
  await openHistory(page);
  await expect(rows(page)).toHaveCount(4);
  const top = rows(page).first();
  await expect(top).toContainText('Spent on "oak shelf"');
  await expect(top.getByRole("cell").nth(2)).toHaveText("\u22121");
  await expect(top.getByRole("cell").nth(3)).toContainText("23");
  await expect(rows(page).nth(2)).toContainText("Credits from our team");
  await expect(rows(page).nth(2)).toContainText("for a test");
  await expect(rows(page).nth(2).getByRole("cell").nth(2)).toHaveText("+20");
  await expect(rows(page).last()).toContainText("Monthly credits: Free plan");

  await grant(who.email, 7);
  await expect(rows(page)).toHaveCount(5);
  await expect(rows(page).first().getByRole("cell").nth(3)).toContainText("30");

  for (const { width, theme } of appearancesFor("credits-history")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `credits-history-${width}-${theme}`);
  }
});
