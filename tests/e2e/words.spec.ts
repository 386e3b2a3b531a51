import { expect, test } from "@playwright/test";
import { dress, lookAt } from "./support/looks.ts";
import { signIn } from "./support/quick.ts";

test.describe("questions", () => {
  const openOnes = "details[open] > summary";

  for (const javaScriptEnabled of [true, false]) {
    test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
      test.use({ javaScriptEnabled });

      test("R-FAQ-01 opening one closes the other, in every category; an address opens its answer", async ({
        page,
      }) => {
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
      });
    });
  }
});

test("the privacy policy names every cookie and key that walking through the pages leaves", async ({ page }) => {
  await page.goto("/app/generated-posts");
  await page.waitForURL(/\/login/);
  await signIn(page);
  for (const path of ["/", "/pricing", "/login", "/app", "/app/generated-posts"]) {
    await page.goto(path);
    await expect(page.locator("main")).toBeVisible();
  }
  const cookies = (await page.context().cookies()).map(({ name }) => name);
  const keys = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  expect(cookies.length).toBeGreaterThan(0);
  await page.goto("/privacy-policy#cookies");
  const told = await page.getByRole("region", { name: "Cookies and keys" }).locator("code").allTextContents();
  expect([...cookies, ...keys].filter((name) => !told.includes(name))).toEqual([]);
});

test("pages of words, on a phone or on a desk", async ({ page }) => {
  test.setTimeout(240_000);
  for (const [name, path, width, theme] of [
    ["features", "/features", 390, "light"],
    ["pricing", "/pricing", 390, "dark"],
    ["faqs", "/faqs#free-plan", 1440, "light"],
    ["privacy", "/privacy-policy", 390, "light"],
  ] as const) {
    await dress(page, width, theme);
    await page.goto(path);
    await lookAt(page, `${name}-${width}-${theme}`);
  }
});
