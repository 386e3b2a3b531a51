import { expect, type Page } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { BULK_DRAFT_KEY } from "#lib/client/bulk-draft.ts";
import { KEPT_KEYWORDS_KEY } from "#lib/client/remembered.ts";
import { CONNECTION_COOKIE } from "#lib/features/accounts/constants.ts";
import { login } from "./support/person.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("R-FAQ-01 opening one closes the other, in every category; an address opens its answer; with and without JavaScript", async ({
  browser,
}) => {
  const openOnes = "details[open] > summary";
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await page.goto("/faqs");
    await expect(page.locator(openOnes)).toHaveCount(0);
    await page.getByRole("heading", { name: "Is there a free plan?" }).click();
    await expect(page.getByText("5 free credits every calendar month")).toBeVisible();
    await page.getByRole("heading", { name: "What does a pin cost?" }).click();
    await expect(page.locator(openOnes)).toHaveText(["What does a pin cost?"]);
    await expect(page.getByText("5 free credits every calendar month")).toBeHidden();
    await page.getByRole("heading", { name: "What does a pin cost?" }).click();
    await expect(page.locator(openOnes)).toHaveCount(0);
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(openOnes)).toHaveCount(1);
    await page.goto("/faqs#money-back");
    await expect(page.getByText("14-day money-back guarantee on monthly plans")).toBeVisible();
    await context.close();
  }
});

/** The names of what stands in the browser now. A name that is made anew for each connection is told by its beginning. */
const namesLeft = async (page: Page): Promise<string[]> => {
  const cookies = (await page.context().cookies()).map(({ name }) => name);
  const keys = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  return [...cookies, ...keys].map((name) =>
    name.startsWith(`${CONNECTION_COOKIE}_`) ? `${CONNECTION_COOKIE}_…` : name,
  );
};

test("the privacy policy names every cookie and key that walking through the pages leaves, and no other", async ({
  page,
}) => {
  const { who, token } = await signIn(page);
  // Without the stored token the page that is asked for is remembered (R-AUTH-01).
  await page.evaluate(() => localStorage.clear());
  // Asked only where a pixel is set: tests/e2e/consent.spec.ts sees the answer kept under this key.
  // Words that wait for an account are kept under the other: tests/e2e/saved-dialogs.spec.ts walks that way.
  const left = new Set<string>([AD_CONSENT_KEY, KEPT_KEYWORDS_KEY]);
  const look = async () => {
    for (const name of await namesLeft(page)) left.add(name);
  };
  await page.goto("/pricing");
  await expect(page.locator("main")).toBeVisible();
  await look();
  await page.goto("/app/generated-posts");
  await page.waitForURL(/\/login/);
  await look();
  await login(page, who, /\/app\/generated-posts/);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single key/ }).uncheck();
  await page.request.get("/api/users/pinterest/auth/", { headers: { authorization: `Bearer ${token}` } });
  await look();
  await connectQuickly(page, token);
  await page.goto("/app/create-pin");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByLabel("Title of pin 1", { exact: true }).fill("Kept while it is written");
  await expect.poll(() => namesLeft(page)).toContain(BULK_DRAFT_KEY);
  await look();
  await page.goto("/privacy-policy#cookies");
  const told = await page.getByRole("region", { name: "Cookies and keys" }).locator("code").allTextContents();
  expect(told.toSorted()).toEqual([...left].toSorted());
});
