import { expect } from "@playwright/test";
import { balance, button, openPack, pack, red, summary } from "./support/buy-screen.ts";
import { balanceOf, overlay, overlayGone, payWith, signInOn } from "./support/buying.ts";
import { test, untilInteractive } from "./support/test.ts";

test("R-ROUTE-28, R-NAV-07, R-BUY-01, R-GEN-02, R-BUY-08, R-BUY-11, R-BUY-09, R-BUY-10, R-BUY-17, R-BUY-18, R-BUY-19, R-BUY-20, R-BUY-22: opened from the sidebar; no pack, left by keyboard, declined, the bank asks, bought; the balance follows", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  const user = await signInOn(page, "free");
  // A new document, because the checkout's script is allowed in it (decision 16).
  await page.goto("/app");
  await page.getByRole("complementary", { name: "Sidebar" }).getByRole("link", { name: "Buy Credits" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Buy Credits" })).toBeVisible();
  await untilInteractive(page);
  await expect(page).toHaveURL(/\/app\/buy-credits$/);
  for (const note of ["Secure Payment", "Instant Credit", "Multiple Payment Options"]) {
    await expect(summary(page).getByText(note, { exact: true })).toBeVisible();
  }
  await expect(page.getByText("Credits are used when generating pins: 2 for a high-quality pin, 1 for")).toBeVisible();
  await expect(page.getByText("purchased credits do not expire")).toBeVisible();
  await expect(page.getByText("There are no refunds for purchased credits.")).toBeVisible();

  const place = async () => {
    const [top, own] = [await summary(page).boundingBox(), await button(page).boundingBox()];
    return (own?.y ?? Number.NaN) - (top?.y ?? Number.NaN);
  };
  const before = await place();
  await button(page).click();
  await expect(red(page)).toHaveText("Please select a credit package");
  // Positions are fractions of a pixel, which may differ while a page is being painted.
  expect(await place()).toBeCloseTo(before, 1);
  await pack(page, 500).focus();
  await page.keyboard.press("Space");
  await button(page).focus();
  await page.keyboard.press("Enter");
  await expect(overlay(page).getByRole("heading", { name: "Payment" })).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press("Escape");
  await overlayGone(page);
  await expect(button(page)).toBeFocused();
  await openPack(page, 500);
  await expect(red(page)).toHaveCount(0);
  await expect(button(page)).toHaveText("Processing...");
  await payWith(page, "is declined");
  await expect(overlay(page).getByRole("alert")).toContainText("Your card was declined.");
  await payWith(page, "asks for confirmation");
  await overlay(page).getByRole("button", { name: "Approve" }).click();
  await expect(page.getByText("Successfully purchased 500 credits!")).toBeVisible({ timeout: 60_000 });
  await overlayGone(page);
  await expect(balance(page)).toHaveText("505", { timeout: 30_000 });
  await expect(page.getByTestId("credit-panel").filter({ visible: true })).toContainText("505");
  await expect(button(page)).toHaveText("Purchase Credits");
  await expect(pack(page, 500)).not.toBeChecked();
  expect(await balanceOf(page, user)).toBe(505);
});
