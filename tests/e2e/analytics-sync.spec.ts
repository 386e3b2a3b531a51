import { expect } from "@playwright/test";
import { pinsOfFortyKeywords } from "#tests/support/analytics-pins.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";
import { openAnalyticsPage, signInWithPublished } from "./support/analytics.ts";
import { test } from "./support/test.ts";

const PINS = 300;
const TOO_MANY = 429;

test("A-83 metrics of published pins are synced and shown while the screen is open, within the rate limit", async ({
  page,
}) => {
  const pinterest = controlPinterest(process.env.E2E_PINTEREST_URL ?? "");
  const { account } = await signInWithPublished(page, (boardId) =>
    pinsOfFortyKeywords({ boardIds: [boardId], now: new Date(), count: PINS }),
  );
  await openAnalyticsPage(page);
  await expect(page.locator("[data-slot=sync-status]")).toContainText(`Metrics for ${PINS} published pins`, {
    timeout: 60_000,
  });
  await expect(page.getByRole("progressbar", { name: "Pins with metrics" })).toHaveCount(0);
  await expect(page.locator("tbody[data-part] th[scope=row]").first()).toBeVisible();

  // Other tests use the same Pinterest.
  const all = await pinterest.requests(/^GET \/v5\/.*analytics/);
  const requests = all.filter(({ labels }) => labels?.account === account.username);
  expect(requests.some(({ path }) => path.startsWith("/v5/pins/analytics"))).toBe(true);
  expect(requests.filter(({ status }) => status === TOO_MANY)).toEqual([]);
});
