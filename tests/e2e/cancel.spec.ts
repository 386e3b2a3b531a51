import { expect } from "@playwright/test";
import { whilePicturesWait } from "./support/hold-pictures.ts";
import { dress, lookAt } from "./support/looks.ts";
import { fixtures, pasteLines, signIn } from "./support/quick.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

// Of its own: no picture is drawn there for a while.
const app = secondApp({});

test("DESIGN 5.2, DESIGN 5.3, R-SRV-01 a running generation goes on after a reload and is cancelled by keyboard: what waits comes back, the rest is made", async ({
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
  const button = page.getByRole("button", { name: "Cancel generation" });
  const dialog = page.getByRole("dialog", { name: "Cancel this generation?" });
  let cancelled = 0;
  await whilePicturesWait(app().databaseUrl, async () => {
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
    await dress(page, 390, "light");
    await lookAt(page, "cancel-generation-390");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    const said = page.getByText(/^(\d+) pins? w(as|ere) cancelled, (its|their) credits are back\.$/).first();
    await expect(said).toBeVisible();
    cancelled = Number.parseInt((await said.textContent()) ?? "", 10);
    await expect(button).toBeHidden();
    await expect(page.getByRole("heading", { name: "Progress" })).toBeFocused();
  });
  expect(cancelled).toBeGreaterThan(0);
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText(/failed to generate/)).toHaveCount(0);
  await dress(page, 1440, "light");
  await expect(page.locator("[data-slot=credit-number]").first()).toHaveText(String(cancelled));
  await page.goto(`${app().baseUrl}/app/generated-posts`);
  await expect(page.getByText(/cosy corner/i).first()).toBeVisible();
});
