import { expect, type Page } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { ensureBuild } from "#scripts/build.ts";
import { inRepository } from "#scripts/root.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const AD_PIXEL_ID = "123456789012345";
const distDir = ".next-test-pixel";

/** Only the pages visited here, and the routes that a running app needs. */
const only = ["app/(public)/page.tsx", "app/(public)/(auth)/*/page.tsx", "app/api/{health,inngest}/route.ts"];

const app = secondApp({ settings: { AD_PIXEL_ID }, distDir }, async () => {
  const logFile = inRepository(".test", "logs", "build-pixel.log");
  await ensureBuild({ distDir, settings: { AD_PIXEL_ID }, logFile, only });
});

type Sent = { url: URL; referer: string | undefined };

/** A 1 x 1 image. The browser caches images it could decode, so this tests that every view is sent. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Answers as the ad network and records the requests. */
const interceptPixel = async (page: Page): Promise<Sent[]> => {
  const sent: Sent[] = [];
  await page.route("https://www.facebook.com/**", async (route) => {
    const headers = await route.request().allHeaders();
    sent.push({ url: new URL(route.request().url()), referer: headers.referer });
    await route.fulfill({ status: 200, contentType: "image/gif", body: PIXEL });
  });
  return sent;
};

test("A-60 sends nothing to the ad network before consent, then only page views; the choice can be changed", {
  tag: "@screens",
}, async ({ page }) => {
  const sent = await interceptPixel(page);
  const banner = page.getByRole("region", { name: "Can we measure our ads?" });
  const choice = page.getByRole("contentinfo").getByRole("button", { name: /^Ad measurement/ });
  await page.goto(app().baseUrl);
  await expect(banner).toBeVisible();
  for (const { width, theme } of appearancesFor("ad-consent")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `ad-consent-${width}-${theme}`);
  }
  await page.goto(`${app().baseUrl}/login`);
  await expect(banner).toBeVisible();
  await banner.getByRole("button", { name: "Decline" }).click();
  await expect(banner).toBeHidden();
  await expect(choice).toBeFocused();
  await page.reload();
  await expect(choice).toHaveText("Ad measurement: declined");
  await expect(banner).toBeHidden();
  expect(sent).toEqual([]);

  await page.goto(`${app().baseUrl}/login?success=somebody%40example.com&next=/app/secret`);
  await choice.click();
  await expect(banner.getByRole("heading")).toBeFocused();
  await banner.getByRole("button", { name: "Allow" }).click();
  await expect(banner).toBeHidden();
  await expect(choice).toBeFocused();
  expect(await page.evaluate(() => Object.keys(localStorage))).toContain(AD_CONSENT_KEY);
  await expect(choice).toHaveText("Ad measurement: allowed");
  await expect.poll(() => sent.length).toBe(1);
  await page.reload();
  await expect.poll(() => sent.length).toBe(2);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL(/\/register/);
  await expect.poll(() => sent.length).toBe(3);
  await expect(banner).toBeHidden();
  for (const { url, referer } of sent) {
    expect(Number(url.searchParams.get("ts"))).toBeGreaterThan(0);
    url.searchParams.delete("ts");
    expect(url.href).toBe(`https://www.facebook.com/tr/?id=${AD_PIXEL_ID}&ev=PageView&noscript=1`);
    expect(referer).toBe(`${app().baseUrl}/`);
  }
});
