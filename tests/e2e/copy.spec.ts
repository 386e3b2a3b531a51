import { expect, type Page } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { BULK_DRAFT_KEY } from "#lib/client/bulk-draft.ts";
import { SAVED_KEYWORDS_KEY } from "#lib/client/remembered.ts";
import { GOOGLE_COOKIE, SECOND_STEP_COOKIE } from "#lib/core/browser-keys.ts";
import { CONNECTION_COOKIE } from "#lib/features/accounts/constants.ts";
import { login } from "./support/person.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("R-FAQ-01 one answer is open at a time in all categories, and a URL opens its answer, with and without JavaScript", async ({
  browser,
}) => {
  const openItems = "details[open] > summary";
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await page.goto("/faqs");
    await expect(page.locator(openItems)).toHaveCount(0);
    await page.getByRole("heading", { name: "Is there a free plan?" }).click();
    await expect(page.getByText("5 free credits every calendar month")).toBeVisible();
    await page.getByRole("heading", { name: "How much does a pin cost?" }).click();
    await expect(page.locator(openItems)).toHaveText(["How much does a pin cost?"]);
    await expect(page.getByText("5 free credits every calendar month")).toBeHidden();
    await page.getByRole("heading", { name: "How much does a pin cost?" }).click();
    await expect(page.locator(openItems)).toHaveCount(0);
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(openItems)).toHaveCount(1);
    await page.goto("/faqs#money-back");
    await expect(page.getByText("14-day money-back guarantee on monthly plans")).toBeVisible();
    await context.close();
  }
});

/** Names of all cookies and storage keys. Names that vary per connection are shortened. */
const namesLeft = async (page: Page): Promise<string[]> => {
  const cookies = (await page.context().cookies()).map(({ name }) => name);
  const keys = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  return [...cookies, ...keys].map((name) =>
    name.startsWith(`${CONNECTION_COOKIE}_`) ? `${CONNECTION_COOKIE}_…` : name,
  );
};

test("the privacy policy lists exactly the cookies and storage keys that the pages leave", async ({ page }) => {
  const { who, token } = await signIn(page);
  // Without a stored token, the requested page is remembered (R-AUTH-01).
  await page.evaluate(() => localStorage.clear());
  // The keys are tested in consent.spec.ts and saved-dialogs.spec.ts, the cookies in contract/second-step and /google.
  const left = new Set<string>([AD_CONSENT_KEY, SAVED_KEYWORDS_KEY, GOOGLE_COOKIE, SECOND_STEP_COOKIE]);
  const recordNames = async () => {
    for (const name of await namesLeft(page)) left.add(name);
  };
  await page.goto("/pricing");
  await expect(page.locator("main")).toBeVisible();
  await recordNames();
  await page.goto("/app/generated-posts");
  await page.waitForURL(/\/login/);
  await recordNames();
  await login(page, who, /\/app\/generated-posts/);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single-key/ }).uncheck();
  await page.request.get("/api/users/pinterest/auth/", { headers: { authorization: `Bearer ${token}` } });
  await recordNames();
  await connectQuickly(page, token);
  await page.goto("/app/create-pin");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByLabel("Title of pin 1", { exact: true }).fill("Kept while it is written");
  await expect.poll(() => namesLeft(page)).toContain(BULK_DRAFT_KEY);
  await recordNames();
  await page.goto("/privacy-policy#cookies");
  const listed = await page.getByRole("region", { name: "Cookies and keys" }).locator("code").allTextContents();
  expect(listed.toSorted()).toEqual([...left].toSorted());
});
