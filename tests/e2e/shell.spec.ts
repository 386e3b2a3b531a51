import { expect, type Page } from "@playwright/test";
import { HEADER_PAGES, SITE_PAGES } from "#components/site/pages.ts";
import { beAccessible, dress, lookAt, looksFor } from "./support/looks.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Go to" });
const sheet = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });
const field = (page: Page) => palette(page).getByRole("combobox");
const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Opens a screen and waits until it can be used. */
const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
};

/** Goes to a screen by `g` and its letter. A busy browser may hear the two too far apart, and then does nothing. */
const goByKeys = (page: Page, letter: string, name: string): Promise<void> =>
  expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    await expect(title(page, name)).toBeVisible();
  }).toPass({ timeout: 60_000 });

const openPalette = async (page: Page): Promise<void> => {
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
};

test("R-NAV-04, R-NAV-08 by keyboard alone: skip link, palette, sheet, a letter for each screen, the theme, logging out", async ({
  page,
}) => {
  await signIn(page);
  await openScreen(page, "/app");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();

  await openPalette(page);
  const labels = await palette(page).getByRole("option").allInnerTexts();
  expect(new Set(labels).size, `each name once: ${labels.join(", ")}`).toBe(labels.length);
  expect(labels).toEqual(expect.arrayContaining(SITE_PAGES.map(({ label }) => label)));
  await page.keyboard.type("boa");
  await expect(palette(page).getByRole("option", { selected: true })).toContainText("Board Manager");
  await page.keyboard.press("Enter");
  await expect(title(page, "Board Manager")).toBeVisible();
  await expect(palette(page)).toBeHidden();

  await goByKeys(page, "p", "Generated Posts");
  await goByKeys(page, "s", "Settings");

  const search = page.getByRole("button", { name: "Search" });
  await search.focus();
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("no such thing");
  await expect(palette(page).getByText("Nothing has that name.")).toBeVisible();
  await field(page).fill("shortcuts");
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet(page)).toBeHidden();
  await expect(search).toBeFocused();

  await openPalette(page);
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeHidden();
  // The theme follows the palette, the switch follows the theme, and both outlast a reload.
  await openPalette(page);
  await page.keyboard.type("night");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await expect(page.getByRole("radio", { name: "Dark" }).first()).toBeChecked();
  await page.reload();
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await page.getByRole("radio", { name: "As the device" }).first().check();
  await expect(page.locator("html")).not.toHaveClass(/\b(dark|light)\b/);
  await openPalette(page);
  await page.keyboard.type("logout");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login/);
});

test("palette and sheet of shortcuts", { tag: "@screens" }, async ({ page }) => {
  await signIn(page);
  for (const { width, theme } of looksFor("palette")) {
    await dress(page, width, theme);
    await openScreen(page, "/app");
    await openPalette(page);
    await lookAt(page, `palette-${width}-${theme}`);
    await page.keyboard.press("Escape");
    await expect(palette(page)).toBeHidden();
    await page.keyboard.press("?");
    await expect(sheet(page)).toBeVisible();
    await lookAt(page, `shortcuts-${width}-${theme}`);
    await page.keyboard.press("Escape");
  }
});

test("R-NAV-01 the bar's links, and the menu they move into on a phone", async ({ page }) => {
  await dress(page, 1440, "light");
  await page.goto("/");
  const bar = page.getByRole("banner").getByRole("navigation", { name: "Main" });
  const labels = ["Features", "Pricing", "Blog", "FAQs"];
  await expect(bar.getByRole("link")).toHaveText(labels);
  await dress(page, 390, "light");
  await page.goto("/");
  const menu = page.getByRole("button", { name: "Menu" });
  await menu.click();
  await expect(bar.getByRole("link")).toHaveText(labels);
  await beAccessible(page, "site menu");
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect(menu).toBeFocused();
  await page.goto("/no-such-page");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(bar.getByRole("link")).toHaveText(labels);
  await beAccessible(page, "the menu where nothing was found");
  await bar.getByRole("link", { name: "FAQs" }).click();
  await page.waitForURL("**/faqs");
  for (const { label, path } of HEADER_PAGES) {
    await page.getByRole("button", { name: "Menu" }).click();
    await bar.getByRole("link", { name: label }).click();
    await page.waitForURL(`**${path}`);
    await expect(bar).toBeHidden();
  }
});
