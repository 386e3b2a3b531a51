import { expect } from "@playwright/test";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { letPass, ownClock, stopClock } from "./support/clock.ts";
import { grant } from "./support/grant.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { breakCall, connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const BANNER_MS = 10_000;

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

test("R-ACC-09, R-ERR-10, R-TIME-04, A-89 at the plan's limit the server's text shows for ten seconds", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await ownClock(page);
  await page.goto("/app");
  await stopClock(page);
  await page.getByRole("button", { name: "Connect Account" }).click();
  const banner = page.getByText("Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more.");
  await expect(banner).toBeVisible();
  await letPass(page, BANNER_MS - 200);
  await expect(banner).toBeVisible();
  await letPass(page, 400);
  await expect(banner).toBeHidden();
});

test("R-ACC-10 any other failure to connect is only logged", async ({ page }) => {
  await signIn(page);
  const logged: string[] = [];
  page.on("console", (message) => message.type() === "error" && logged.push(message.text()));
  await page.goto("/app");
  await breakCall(page, "**/api/users/pinterest/auth/", 503);
  await page.getByRole("button", { name: "Connect Account" }).click();
  await expect.poll(() => logged.some((text) => text.includes("Connecting a Pinterest account failed"))).toBe(true);
  await expect(page.getByText("Broken for a test.")).toBeHidden();
});

test("R-ACC-11, R-ERR-07 a failing load says so and keeps what our own records know", async ({ page }) => {
  const { token } = await signIn(page);
  const { username } = await connectQuickly(page, token);
  await breakCall(page, "**/api/users/pinterest/accounts/", 500, 100);
  await page.goto("/app");
  await expect(page.getByText("Failed to fetch Pinterest accounts")).toBeVisible();
  await expect(page.getByRole("heading", { name: username })).toBeVisible();
});

test("R-ACC-03, R-ACC-04, A-13 removing asks first; declining sends nothing", async ({ page }) => {
  const { token } = await signIn(page);
  const { username, id } = await connectQuickly(page, token);
  const sent: unknown[] = [];
  page.on("request", (request) => request.method() === "PUT" && sent.push(request.postDataJSON()));
  await page.goto("/app");
  await page.getByRole("button", { name: `Remove ${username}` }).click();
  const question = page.getByRole("dialog", { name: "Are you sure you want to remove this account?" });
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(question).toBeHidden();
  expect(sent).toEqual([]);
  await page.getByRole("button", { name: `Remove ${username}` }).click();
  await question.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No account connected yet")).toBeVisible();
  expect(sent).toEqual([{ accountId: id }]);
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

test("R-BRD-05, R-BRD-06, R-ERR-08 no boards, and a failure, are told apart", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token, 0);
  await page.goto("/app/board-manager");
  await expect(page.getByRole("heading", { name: "No boards" })).toBeVisible();
  await breakCall(page, "**/api/users/pinterest/boards/*/", 500, 100);
  await page.reload();
  await expect(page.getByText("Failed to fetch boards")).toBeVisible();
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

test("R-CRED-02, R-CRED-03 nine credits are low, ten are not", async ({ page }) => {
  const { who } = await signIn(page);
  await grant(who.email, 4);
  await page.goto("/app");
  const panel = page.getByTestId("credit-panel").first();
  await expect(panel).toContainText("9");
  await expect(panel).toContainText("Low");
  await expect(panel).toContainText("Your credits are running low. Buy more to continue generating pins.");
  await grant(who.email, 1);
  await page.reload();
  await expect(panel).toContainText("10");
  await expect(panel).toContainText("Available");
  await page.setViewportSize({ width: 768, height: 900 });
  await panel.hover();
  await expect(panel.getByText("Free plan")).toHaveCSS("opacity", "1");
});
