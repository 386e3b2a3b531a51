import { expect } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { login, newPerson, register } from "./support/person.ts";
import { test } from "./support/test.ts";

const notice = "notice";

test("A-43, A-45, R-LOGIN-08, R-LOGIN-05, R-LOGIN-07, R-AUTH-01, R-ERR-04, R-ROLE-03 returns to the requested path after login; hostile URL parameters stay text and redirect nowhere else", async ({
  page,
}) => {
  const who = newPerson();
  await page.goto("/register");
  await expect(page.getByText("you confirm that you’re 18 or older")).toBeVisible();
  await register(page, who);
  await page.goto("/app/generated-posts?status=draft");
  await page.waitForURL(/\/login/);
  await login(page, who, /\/app\/generated-posts\?.*status=draft/);
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toMatch(/^ey/);

  await holdTimers(page, NOTICE_MS);
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  const hostile = `<img src=x onerror=alert(1)>\u202Egnp.exe\u0000${"a".repeat(5_000)}`;
  const query = new URLSearchParams({
    success: hostile,
    next: "https://evil.example/app",
    from: "//evil.example",
  });
  page.on("dialog", () => expect("a dialog").toBe("never shown"));
  await page.goto(`/login?${query}`);
  const words = page.getByTestId(notice).locator("p").last();
  await expect(words).toContainText("<img src=x onerror=alert(1)>");
  const shown = (await words.textContent()) ?? "";
  expect(shown.length).toBeLessThanOrEqual(200);
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  await expect.poll(() => new URL(page.url()).searchParams.has("success")).toBe(false);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  await expect(page.getByTestId(notice)).toBeHidden();
  await login(page, who);
  expect(new URL(page.url()).host).toBe(new URL(test.info().project.use.baseURL ?? process.env.BASE_URL ?? "").host);
});
