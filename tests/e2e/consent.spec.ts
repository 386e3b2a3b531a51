import { expect, type Page } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { ensureBuild } from "#scripts/build.ts";
import { inRepository } from "#scripts/root.ts";
import { dress, lookAt, looksFor } from "./support/looks.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const AD_PIXEL_ID = "123456789012345";
const distDir = ".next-test-pixel";

/** Only pages that are walked here, and what a running product answers to its engine. */
const only = ["app/(public)/page.tsx", "app/(public)/(auth)/*/page.tsx", "app/api/{health,inngest}/route.ts"];

const app = secondApp({ settings: { AD_PIXEL_ID }, distDir }, async () => {
  const logFile = inRepository(".test", "logs", "build-pixel.log");
  await ensureBuild({ distDir, settings: { AD_PIXEL_ID }, logFile, only });
});

type Told = { url: URL; referer: string | undefined };

/** One point: a document keeps a picture that it could read, and shows that again without asking. */
const POINT = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Answers in the ad network's place, and keeps what it was told. */
const listen = async (page: Page): Promise<Told[]> => {
  const told: Told[] = [];
  await page.route("https://www.facebook.com/**", async (route) => {
    const headers = await route.request().allHeaders();
    told.push({ url: new URL(route.request().url()), referer: headers.referer });
    await route.fulfill({ status: 200, contentType: "image/gif", body: POINT });
  });
  return told;
};

test("A-60 the ad network hears nothing before a yes, then that a page was visited and no more; the answer can be changed", {
  tag: "@screens",
}, async ({ page }) => {
  const told = await listen(page);
  const question = page.getByRole("region", { name: "May an ad network know that you were here?" });
  const choice = page.getByRole("contentinfo").getByRole("button", { name: /^Ad measurement/ });
  await page.goto(app().baseUrl);
  await expect(question).toBeVisible();
  for (const { width, theme } of looksFor("ad-consent")) {
    await dress(page, width, theme);
    await lookAt(page, `ad-consent-${width}-${theme}`);
  }
  await page.goto(`${app().baseUrl}/login`);
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Refuse" }).click();
  await expect(question).toBeHidden();
  await expect(choice).toBeFocused();
  await page.reload();
  await expect(choice).toHaveText("Ad measurement: refused");
  await expect(question).toBeHidden();
  expect(told).toEqual([]);

  await page.goto(`${app().baseUrl}/login?success=somebody%40example.com&next=/app/secret`);
  await choice.click();
  await expect(question.getByRole("heading")).toBeFocused();
  await question.getByRole("button", { name: "Allow" }).click();
  await expect(question).toBeHidden();
  await expect(choice).toBeFocused();
  expect(await page.evaluate(() => Object.keys(localStorage))).toContain(AD_CONSENT_KEY);
  await expect(choice).toHaveText("Ad measurement: allowed");
  await expect.poll(() => told.length).toBe(1);
  await page.reload();
  await expect.poll(() => told.length).toBe(2);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL(/\/register/);
  await expect.poll(() => told.length).toBe(3);
  await expect(question).toBeHidden();
  for (const { url, referer } of told) {
    expect(Number(url.searchParams.get("ts"))).toBeGreaterThan(0);
    url.searchParams.delete("ts");
    expect(url.href).toBe(`https://www.facebook.com/tr/?id=${AD_PIXEL_ID}&ev=PageView&noscript=1`);
    expect(referer).toBe(`${app().baseUrl}/`);
  }
});
