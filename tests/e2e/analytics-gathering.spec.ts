import { expect } from "@playwright/test";
import { controlPinterest } from "#tests/support/pinterest.ts";
import { pinsOfFortyKeywords } from "#tests/support/results-pins.ts";
import { openResults, signInWithPublished } from "./support/results.ts";
import { test } from "./support/test.ts";

const PINS = 300;
const TOO_MANY = 429;

test("A-83 figures of published pins are fetched and shown while the screen is open, without a refusal", async ({
  page,
}) => {
  const pinterest = controlPinterest(process.env.E2E_PINTEREST_URL ?? "");
  const { account } = await signInWithPublished(page, (boardId) =>
    pinsOfFortyKeywords({ boardIds: [boardId], now: new Date(), count: PINS }),
  );
  await openResults(page);
  await expect(page.locator("[data-slot=gather]")).toContainText(`Figures of ${PINS} published pins`, {
    timeout: 60_000,
  });
  await expect(page.getByRole("progressbar", { name: "Pins with figures" })).toHaveCount(0);
  await expect(page.locator("tbody[data-part] th[scope=row]").first()).toBeVisible();

  // Other tests ask the same Pinterest meanwhile.
  const all = await pinterest.requests(/^GET \/v5\/.*analytics/);
  const asked = all.filter(({ labels }) => labels?.account === account.username);
  expect(asked.some(({ path }) => path.startsWith("/v5/pins/analytics"))).toBe(true);
  expect(asked.filter(({ status }) => status === TOO_MANY)).toEqual([]);
});
