import { expect } from "@playwright/test";
import { whileImagesWait } from "./support/hold-images.ts";
import { fixtures, pasteLines, signIn } from "./support/quick.ts";
import { checkScreen, setAppearance } from "./support/screens.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

// Needs its own product, because it pauses image generation.
const app = secondApp({});

test("R-SRV-01 a running generation resumes after a reload and is canceled by keyboard: waiting pins are returned, the rest is finished", async ({
  page,
}) => {
  const { who } = await signIn(page, app());
  await fixtures(app()).account(who);
  await fixtures(app()).credits(who, 15);
  await page.goto(`${app().baseUrl}/app/evertack-creator`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(
    page,
    Array.from({ length: 20 }, (_, n) => `cosy corner ${n}`),
  );
  const button = page.getByRole("button", { name: "Cancel batch" });
  const dialog = page.getByRole("dialog", { name: "Cancel this batch?" });
  let canceled = 0;
  await whileImagesWait(app().databaseUrl, async () => {
    await page.getByRole("button", { name: "Generate Content" }).click();
    await expect(page.getByText("of 20 finished")).toBeVisible();
    await page.reload();
    await expect(page.locator("[inert]")).toHaveCount(0);
    await expect(page.getByText("of 20 finished")).toBeVisible();
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("button", { name: "Keep going" })).toBeFocused();
    await setAppearance(page, 390, "light");
    await checkScreen(page, "cancel-generation-390");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    const toast = page.getByText(/^(\d+) pins? w(as|ere) canceled\. (Its|Their) credits were returned\.$/).first();
    await expect(toast).toBeVisible();
    canceled = Number.parseInt((await toast.textContent()) ?? "", 10);
    await expect(button).toBeHidden();
    await expect(page.getByRole("heading", { name: "Progress" })).toBeFocused();
  });
  expect(canceled).toBeGreaterThan(0);
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText(/failed to generate/)).toHaveCount(0);
  await setAppearance(page, 1440, "light");
  await expect(page.locator("[data-slot=credit-number]").first()).toHaveText(String(canceled));
  await page.goto(`${app().baseUrl}/app/generated-posts`);
  await expect(page.getByText(/cosy corner/i).first()).toBeVisible();
});
