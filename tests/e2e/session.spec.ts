import { expect } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { awaitLink } from "./support/inbox.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const notice = "notice";

test("R-AUTH-01, R-AUTH-02, R-AUTH-03, R-AUTH-04, R-AUTH-06, R-AUTH-07, R-AUTH-08, R-NAV-02, R-NAV-08, R-ERR-05 the session is checked before a screen is usable; without a valid token, the login opens; the header shows Dashboard while signed in; logging out removes the token", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  const { token } = await signIn(page);
  const [check] = await Promise.all([page.waitForRequest("**/api/users/checkAuth/"), page.goto("/app")]);
  const headers = await check.allHeaders();
  const cookies = await page.context().cookies();
  expect(headers.authorization).toBe(`Bearer ${token}`);
  expect(headers["x-csrftoken"]).toBe(cookies.find(({ name }) => name === "csrftoken")?.value);
  expect(headers.cookie).toContain("next-auth.session-token");

  await page.evaluate(() => localStorage.clear());
  await page.goto("/app/board-manager");
  await page.waitForURL(/\/login/);

  // Stored where no script runs: /login exchanges a token that is there when it starts, and drops a dead one.
  await page.goto("/icon.svg");
  await page.evaluate(() => localStorage.setItem("accessToken", "dead"));
  await page.goto("/app");
  await page.waitForURL(/\/login/);
  await expect(page.getByTestId(notice)).toContainText("Session expired. Please login again.");
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toBeNull();

  await page.context().clearCookies();
  await page.goto("/login");
  await page.getByLabel("Email").fill("a@example.com");
  await page.getByLabel("Password", { exact: true }).fill("whatever 1");
  const [anonymous] = await Promise.all([
    page.waitForRequest("**/api/users/login/"),
    page.getByRole("button", { name: "Sign in", exact: true }).click(),
  ]);
  expect((await anonymous.allHeaders()).authorization).toBeUndefined();

  await signIn(page);
  await page.goto("/");
  const dashboard = page.getByRole("banner").getByRole("link", { name: "Dashboard" });
  await expect(dashboard).toHaveAttribute("href", "/app");
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeHidden();
  await dashboard.click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL(/\/login/);
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toBeNull();
  expect((await page.request.get("/api/users/me/")).status()).toBe(401);
});

test("A-10 the link from the email confirms the address once, and the banner disappears", async ({ page }) => {
  const { who, token } = await signIn(page);
  await page.goto("/app");
  await expect(page.getByText("with the link we emailed you")).toBeVisible();
  await page.request.post("/api/users/verify-email/resend/", { headers: { authorization: `Bearer ${token}` } });
  const path = await awaitLink(page, who.email, "/verify-email/");
  await page.goto(path);
  await page.getByRole("button", { name: /Confirm/ }).click();
  await expect(page.getByRole("heading", { name: /confirmed/i })).toBeVisible();
  await page.goto("/app");
  await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible();
  await expect(page.getByText("with the link we emailed you")).toBeHidden();
  await page.goto(path);
  await page.getByRole("button", { name: /Confirm/ }).click();
  await expect(page.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
});
