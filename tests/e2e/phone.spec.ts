import { expect, type Locator, type Page } from "@playwright/test";
import { begin, number, rows } from "./support/bulk.ts";
import { makeDrafts } from "./support/drafts.ts";
import { untilLive } from "./support/live.ts";
import { dress } from "./support/looks.ts";
import { arrangeDrafts, openDetails } from "./support/manage.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer";
const WORDS = "A stove, two chairs, and a window towards the valley. ".repeat(14);

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

/** How large the place is that a finger may press, with what is laid around it. */
const targetOf = (one: Locator) =>
  one.evaluate((element) => {
    const around = getComputedStyle(element, "::after");
    const { width, height } = element.getBoundingClientRect();
    const has = around.content !== "none" && around.position === "absolute";
    return {
      width: Math.max(width, has ? Number.parseFloat(around.width) : 0),
      height: Math.max(height, has ? Number.parseFloat(around.height) : 0),
    };
  });

test("R-POST-02, R-POST-06, R-POST-07 on a phone the chosen tab is in view, and a long word stays in its card and in its details", async ({
  page,
}) => {
  await dress(page, 390, "light");
  await arrangeDrafts(page, [LONG_WORD, "Ridge"]);
  expect(await widthOf(page)).toBe(390);
  const details = await openDetails(page, LONG_WORD);
  const title = details.getByText(LONG_WORD, { exact: true }).first();
  expect(await title.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  expect(await details.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  await page.goto("/app/generated-posts?status=failed");
  await expect(page.getByRole("tab", { name: "Failed", selected: true })).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 300, height: 844 });
  await page.reload();
  await expect(page.getByRole("tab", { name: "Failed", selected: true })).toBeInViewport({ ratio: 1 });
});

test("R-POST-02 on a phone the tabs stay where a finger has put them while their counts change", async ({ page }) => {
  await dress(page, 300, "light");
  const { token, id } = await arrangeDrafts(page, ["Ridge"]);
  await page.goto("/app/generated-posts?status=failed");
  await untilLive(page);
  await expect(page.getByRole("tab", { name: /^All ?1$/ })).toBeVisible();
  const chosen = page.getByRole("tab", { name: "Failed", selected: true });
  await expect(chosen).toBeInViewport({ ratio: 1 });
  const strip = page.getByRole("tablist", { name: "Status" });
  await strip.evaluate((one) => one.scrollTo({ left: 0, behavior: "instant" }));
  await expect(chosen).not.toBeInViewport({ ratio: 1 });
  await makeDrafts(page, { token, accountId: id }, ["Two", "Three"]);
  await expect(page.getByRole("tab", { name: /^All ?3$/ })).toBeVisible({ timeout: 30_000 });
  expect(await strip.evaluate((one) => one.scrollLeft)).toBe(0);
});

test("R-POST-07 a question above Pin Details dims them", async ({ page }) => {
  await dress(page, 390, "light");
  await arrangeDrafts(page, ["Ridge"]);
  const details = await openDetails(page, "Ridge");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabel("Title", { exact: true }).fill("Ridge walks");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Keep editing" })).toBeVisible();
  // They come in the order of the document, and of two that are equally high the later one is above.
  const heights = await page
    .locator(".scrim, .dialog")
    .evaluateAll((all) => all.map((one) => Number(getComputedStyle(one).zIndex)));
  expect(heights).toHaveLength(4);
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
});

test("D9 on a phone the next draft is shown from its picture, however far the words of the one before were read", async ({
  page,
}) => {
  await dress(page, 390, "light");
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await makeDrafts(page, { token, accountId: id, description: WORDS }, ["One", "Two", "Three"]);
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  const progress = page.locator("[data-slot=review-progress]");
  for (const next of ["2 of 3", "3 of 3"]) {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(progress).not.toBeInViewport();
    await page.getByRole("button", { name: "Approve" }).click();
    await expect(progress).toContainText(next);
    await expect(progress).toBeInViewport({ ratio: 1 });
  }
});

test("D9 where the bar of Quick review stays at the foot, it does not cover what has the focus", async ({ page }) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await makeDrafts(page, { token, accountId: id, description: WORDS, url: "https://example.com/stove" }, ["One"]);
  for (const [width, height] of [
    [390, 700],
    [800, 460],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/app/generated-posts/review?account=${id}`);
    await expect(page.locator("[inert]")).toHaveCount(0);
    const [words, link, bar] = ["[data-slot=review-words]", "[data-slot=review-facts] a", "[data-slot=review-bar]"].map(
      (one) => page.locator(one),
    );
    if (!words || !link || !bar) throw new Error("three places");
    // The link lies under the bar, and reading has come to the words before it.
    await link.evaluate((one) => window.scrollBy({ top: one.getBoundingClientRect().bottom - innerHeight + 30 }));
    await words.evaluate((one) => {
      one.tabIndex = -1;
      one.focus({ preventScroll: true });
    });
    await page.keyboard.press("Tab");
    await expect(link).toBeFocused();
    const [lower, upper] = [await link.boundingBox(), await bar.boundingBox()];
    expect((lower?.y ?? 0) + (lower?.height ?? 0), `${width}`).toBeLessThanOrEqual(upper?.y ?? 0);
  }
});

test("R-BULK-03 on a phone icons can be hit, and the board of a pin has the width of its row", async ({ page }) => {
  await dress(page, 390, "light");
  await begin(page);
  await number(page).fill("2");
  await expect(rows(page)).toHaveCount(2);
  for (const name of ["Its own board for pin 1", "Remove pin 2"]) {
    const { width, height } = await targetOf(page.getByRole("button", { name, exact: true }));
    expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44);
  }
  const select = await page.getByLabel("Board of pin 1", { exact: true }).boundingBox();
  expect(select?.width).toBeGreaterThan(220);
});
