import { expect, type Page } from "@playwright/test";
import { test, untilInteractive } from "./support/test.ts";

/** Marks the document; the mark is lost on a full page load. */
const mark = (page: Page) => page.evaluate(() => Reflect.set(window, "marked", true));
const isMarked = (page: Page) => page.evaluate(() => Reflect.has(window, "marked"));
const policyAt = async (page: Page, path: string): Promise<string> => {
  const answered = page.waitForResponse(
    (response) => new URL(response.url()).pathname === path && response.request().resourceType() === "document",
  );
  return (await (await answered).allHeaders())["content-security-policy"] ?? "";
};

test("decision 0016 a link to a page with the checkout loads a new document, other links do not", async ({ page }) => {
  const consoleErrors: string[] = [];
  page.on("console", (message) => message.type() === "error" && consoleErrors.push(message.text()));
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  await page.goto("/faqs");
  await page.waitForLoadState("networkidle");
  await mark(page);
  const policy = policyAt(page, "/pricing");
  await page.getByRole("banner").getByRole("link", { name: "Pricing" }).click();
  await expect(page).toHaveURL(/\/pricing$/);
  expect(await policy).toContain(`frame-src ${process.env.E2E_PADDLE_URL}`);
  await expect.poll(() => isMarked(page)).toBe(false);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await untilInteractive(page);
  await mark(page);
  await page.getByRole("banner").getByRole("link", { name: "Blog" }).click();
  await expect(page).toHaveURL(/\/blog$/);
  expect(await isMarked(page)).toBe(true);
  await page.goBack();
  await expect(page).toHaveURL(/\/pricing$/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(consoleErrors).toEqual([]);
});
