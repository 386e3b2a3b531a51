import { expect } from "@playwright/test";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("R-ACC-06, R-ROUTE-20, R-NAV-06, R-CRED-02 without an account the screen offers to connect; five credits are low", async ({
  page,
}) => {
  await signIn(page);
  for (const path of ["/app", "/app/"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Connect Account" })).toBeVisible();
  }
  const sidebar = page.getByRole("complementary").or(page.getByRole("navigation")).first();
  await expect(sidebar).toBeVisible();
  await expect(page.getByText("Low", { exact: true })).toBeVisible();
  await expect(page.getByText("Your credits are running low. Buy more to continue generating pins.")).toBeVisible();
});

test("A-86, A-87 a declined consent is told, the address is reset and its words are never shown", async ({ page }) => {
  await holdTimers(page, NOTICE_MS);
  await signIn(page);
  await page.goto("/app");
  await page.getByRole("button", { name: "Connect Account" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await expect(page.getByTestId("notice")).toContainText("declined at Pinterest");
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/app/");
  await page.goto("/app/?success=%3Cimg%20src%3Dx%3E");
  await expect(page.getByTestId("notice")).toContainText("Pinterest account connected successfully!");
  await expect(page.getByText("<img")).toBeHidden();
  expect(new URL(page.url()).search).toBe("");
});

test("R-BRD-01, R-BRD-02, R-BRD-04, R-BRD-07, R-ROUTE-22, A-64 over 250 boards come, locks stand where they are not public", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token, 261);
  await page.goto("/app/board-manager");
  await expect(page.getByRole("row")).toHaveCount(262);
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  const locked = rows.filter({ has: page.getByRole("img", { name: "Not public" }) });
  const open = rows.filter({ hasText: /Public$/ });
  expect((await locked.count()) + (await open.count())).toBe(261);
});

test("R-NAV-04 on a phone the sidebar is a drawer that closes by navigation, by Escape and by choosing the same screen", async ({
  page,
}) => {
  await signIn(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/app");
  const menu = page.getByRole("dialog", { name: "Menu" });
  await page.getByRole("button", { name: "Open menu" }).click();
  await menu.getByRole("link", { name: "Board Manager" }).click();
  await expect(page.getByRole("heading", { name: "Board Manager" })).toBeVisible();
  await expect(menu).toBeHidden();
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await page.getByRole("button", { name: "Open menu" }).click();
  await menu.getByRole("link", { name: "Board Manager" }).click();
  await expect(menu).toBeHidden();
});
