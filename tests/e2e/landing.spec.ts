import { expect } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { test } from "./support/test.ts";

/** Sums up all layout shifts from now on. */
const watchShifts = (): void => {
  Object.assign(window, { shifted: 0 });
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries() as (PerformanceEntry & { value: number })[]) {
      Object.assign(window, { shifted: Number(Reflect.get(window, "shifted")) + value });
    }
  }).observe({ type: "layout-shift" });
};

test("R-LAND-01, R-LAND-02, R-GEN-04, A-39, A-60 the landing page shows four pitches and a call to action; its images load without layout shift; no ad network is mentioned", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.addInitScript((key) => localStorage.setItem(key, "allowed"), AD_CONSENT_KEY);
  const answer = await page.goto("/");
  expect(answer?.headers()["content-security-policy"]).not.toContain("facebook");
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.evaluate(watchShifts);
  const images = page.locator("main img:visible");
  const inFrame = await images.evaluateAll((all) =>
    all.flatMap((one, at) => {
      const { left, right } = one.getBoundingClientRect();
      return left < innerWidth && right > 0 ? [at] : [];
    }),
  );
  expect(inFrame.length).toBeGreaterThan(30);
  for (const at of inFrame) {
    const image = images.nth(at);
    await image.scrollIntoViewIfNeeded();
    await expect
      .poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth), { timeout: 30_000 })
      .toBeGreaterThan(0);
    expect(await image.evaluate((one: HTMLImageElement) => one.currentSrc)).toMatch(/\.(avif|webp)$/);
  }
  expect(await page.evaluate(() => Reflect.get(window, "shifted"))).toBe(0);

  // Without a pixel id there is no consent banner.
  await expect(page.getByText(/measure our ads|Ad measurement/)).toHaveCount(0);
  await expect(page).toHaveTitle(/turn a few keywords into weeks of pins/);
  for (const pitch of ["AI content creation", "Bulk automation", "Smart scheduling", "Performance analytics"]) {
    await expect(page.getByRole("heading", { name: new RegExp(`^${pitch}`) })).toBeVisible();
  }
  await expect(page.getByText("99.9%", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "status page" })).toHaveAttribute("href", "/status");
  for (const [name, price] of [
    ["Free", "$0"],
    ["Basic", "$29"],
    ["Growth", "$49"],
    ["Pro", "$79"],
  ] as const) {
    const plan = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await expect(plan).toContainText(price);
  }
  await expect(page.getByRole("main").getByRole("link", { name: "See pricing" }).first()).toHaveAttribute(
    "href",
    "/pricing",
  );
  await page.getByRole("link", { name: "Start free" }).first().click();
  await page.waitForURL(/\/register$/);
});
