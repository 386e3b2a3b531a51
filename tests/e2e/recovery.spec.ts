import { expect, type Page } from "@playwright/test";
import { awaitLink } from "./support/inbox.ts";
import { login } from "./support/person.ts";
import { signIn } from "./support/quick.ts";
import { test, untilInteractive } from "./support/test.ts";

const STRONG = "Ever green 2026!";

const sentText = (email: string) => `If an account exists with ${email}, you will receive password reset instructions.`;

const chooseNew = async (page: Page, password: string, confirmation = password) => {
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm new password").fill(confirmation);
  await page.getByRole("button", { name: "Change password" }).click();
};

test("R-RPW-01, R-ROUTE-05, R-FPW-03, R-FPW-04, R-FPW-05, R-RPW-02, R-RPW-03, R-RPW-04, R-RPW-06, R-RPW-09, R-ERR-22, R-ERR-23 resets a forgotten password once with the emailed link", async ({
  page,
}) => {
  const { who, token } = await signIn(page);
  await page.goto("/reset-password");
  await expect(page.getByRole("heading", { name: "Invalid Reset Link" })).toBeVisible();
  await page.getByRole("link", { name: "Request New Reset Link" }).click();
  await page.waitForURL("**/forgot-password");
  await untilInteractive(page);
  for (const email of [`nobody-${who.username}@example.com`, who.email]) {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send reset link" }).click();
    await expect(page.getByRole("heading", { name: "Check your email" })).toBeFocused();
    await expect(page.getByText(sentText(email), { exact: true })).toBeVisible();
    await expect(page.getByRole("link", { name: "Back to login" })).toHaveAttribute("href", "/login");
    await page.getByRole("button", { name: "Try another email" }).click();
    await expect(page.getByLabel("Email")).toBeFocused();
  }

  const path = await awaitLink(page, who.email, "/reset-password/");
  await page.goto(path);
  const rules = page.getByRole("list", { name: "Password requirements" }).getByRole("listitem");
  await expect(rules).toHaveCount(5);
  for (const weak of ["Aa1!aaa", "aaaaaaa1!", "AAAAAAA1!", "Aaaaaaaa!", "Aaaaaaaa1"]) {
    await chooseNew(page, weak);
    await expect(page.getByText("Please ensure your password meets all requirements.", { exact: true })).toBeVisible();
    await expect(rules.filter({ hasText: "(missing)" })).toHaveCount(1);
  }
  await chooseNew(page, STRONG, `${STRONG}x`);
  await expect(page.getByText("Passwords do not match.", { exact: true })).toBeVisible();
  await expect(rules.filter({ hasText: "(done)" })).toHaveCount(5);

  await chooseNew(page, STRONG);
  await page.waitForURL(/\/login$/);
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toBeNull();
  const check = await page.request.get("/api/users/checkAuth/", { headers: { authorization: `Bearer ${token}` } });
  expect(check.status()).toBe(401);
  await page.goto(path);
  await chooseNew(page, `${STRONG}2`);
  await expect(page.getByText("Unable to reset password. The link may have expired.", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "Request New Reset Link" })).toHaveAttribute("href", "/forgot-password");
  await page.goto("/login");
  await login(page, { ...who, password: STRONG });
});
