import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { inRepository } from "#scripts/root.ts";
import { testDistDir } from "#tests/support/app.ts";
import { login } from "./support/person.ts";
import { watchPolicy } from "./support/policy.ts";
import { signIn } from "./support/quick.ts";

const { routes } = JSON.parse(readFileSync(inRepository(testDistDir, "prerender-manifest.json"), "utf8"));
const staticPages = Object.entries<{ routeType: string }>(routes)
  .filter(([path, { routeType }]) => routeType === "page" && !path.startsWith("/_"))
  .map(([path]) => path);

/** Waits until the page is hydrated and the theme switch works. */
const untilHydrated = async (page: Page): Promise<void> => {
  const dark = page.getByRole("radio", { name: "Dark" }).first();
  await expect(async () => {
    await page.getByRole("radio", { name: "Light" }).first().check({ force: true });
    await dark.check({ force: true });
    await expect(page.locator("html")).toHaveClass(/\bdark\b/, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
};

test("A-60 public pages comply with their policy and send no requests to other origins", async ({ page }) => {
  test.setTimeout(300_000);
  const found = watchPolicy(page);
  expect(staticPages).toEqual(expect.arrayContaining(["/", "/login", "/register"]));
  for (const path of [...staticPages, "/verify-email/abc"]) {
    await page.goto(path);
    await untilHydrated(page);
    expect([path, found]).toEqual([path, []]);
  }
  for (const path of ["/no-such-page", "/no/such/page"]) {
    await page.goto(path);
    await expect(page.getByRole("link", { name: "Back to Homepage" })).toHaveAttribute("href", "/");
    // The saved theme is applied, so the inline script ran.
    await expect(page.locator("html")).toHaveClass(/\bdark\b/);
    expect([path, found]).toEqual([path, []]);
  }
});

test("R-NAV-02, R-NAV-03 theme and stored login are applied in the first paint, before scripts and style sheets load", async ({
  page,
}) => {
  await signIn(page);
  await page.goto("/");
  await untilHydrated(page);
  await page.route(/\.(js|css)(\?|$)/, (route) => route.abort());
  await page.goto("/");
  const header = page.getByRole("banner");
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await expect(header.getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(header.getByRole("link", { name: "Sign in" })).toBeHidden();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(header.getByRole("link", { name: "Dashboard" })).toBeHidden();
  await expect(header.getByRole("link", { name: "Sign up" })).toBeVisible();
});

const disableStorage = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("Access is denied.", "SecurityError");
        },
      });
    }
  });

test("R-NAV-03, R-LOGIN-07, R-AUTH-01 public pages and login work with storage disabled, and login returns to the requested path", async ({
  page,
}) => {
  const { who } = await signIn(page);
  await page.context().clearCookies();
  const found = watchPolicy(page);
  await disableStorage(page);
  await page.goto("/");
  await untilHydrated(page);
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeVisible();
  await page.goto("/login");
  await untilHydrated(page);
  await login(page, who);
  await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible();
  // A reloaded page no longer has the token.
  await page.goto("/app/board-manager");
  await page.waitForURL(/\/login/);
  await untilHydrated(page);
  await login(page, who, /\/app\/board-manager/);
  expect(found).toEqual([]);
});
