import { expect, type Page } from "@playwright/test";
import { HEADER_PAGES, SITE_PAGES } from "#components/site/pages.ts";
import { signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, expectAccessible, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Go to" });
const sheet = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });
const field = (page: Page) => palette(page).getByRole("combobox");
const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Opens a screen and waits until it is usable. */
const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
};

/** Opens a screen with `g` and its letter. Retries, since a busy browser may handle the keys too far apart. */
const openWithKeys = (page: Page, letter: string, name: string): Promise<void> =>
  expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    await expect(title(page, name)).toBeVisible();
  }).toPass({ timeout: 60_000 });

const openPalette = async (page: Page): Promise<void> => {
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
};

test("R-NAV-04, R-NAV-08 skip link, palette, shortcuts, screens, theme and logout work by keyboard alone", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  await signIn(page);
  for (const { width, theme } of appearancesFor("palette")) {
    await setAppearance(page, width, theme);
    await openScreen(page, "/app");
    await openPalette(page);
    await checkScreen(page, `palette-${width}-${theme}`);
    await page.keyboard.press("Escape");
    await expect(palette(page)).toBeHidden();
    await page.keyboard.press("?");
    await expect(sheet(page)).toBeVisible();
    await checkScreen(page, `shortcuts-${width}-${theme}`);
    await page.keyboard.press("Escape");
  }
  await setAppearance(page, 1440, "light");
  await openScreen(page, "/app");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();

  await openPalette(page);
  const labels = await palette(page).getByRole("option").allInnerTexts();
  expect(new Set(labels).size, `names must be unique: ${labels.join(", ")}`).toBe(labels.length);
  expect(labels).toEqual(expect.arrayContaining(SITE_PAGES.map(({ label }) => label)));
  await page.keyboard.type("boa");
  await expect(palette(page).getByRole("option", { selected: true })).toContainText("Board Manager");
  await page.keyboard.press("Enter");
  await expect(title(page, "Board Manager")).toBeVisible();
  await expect(palette(page)).toBeHidden();

  await openWithKeys(page, "p", "Generated Posts");
  await openWithKeys(page, "s", "Settings");

  const search = page.getByRole("button", { name: "Search" });
  await search.focus();
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("no such thing");
  await expect(palette(page).getByText("No results.")).toBeVisible();
  await field(page).fill("shortcuts");
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet(page)).toBeHidden();
  await expect(search).toBeFocused();

  await openPalette(page);
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeHidden();
  // The palette sets the theme, the switch follows it, and both survive a reload.
  await openPalette(page);
  await page.keyboard.type("night");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await expect(page.getByRole("radio", { name: "Dark" }).first()).toBeChecked();
  await page.reload();
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await page.getByRole("radio", { name: "System" }).first().check();
  await expect(page.locator("html")).not.toHaveClass(/\b(dark|light)\b/);
  await openPalette(page);
  await page.keyboard.type("logout");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login/);
});

test("R-NAV-01 the header shows its links, and a menu on phones", async ({ page }) => {
  await setAppearance(page, 1440, "light");
  await page.goto("/");
  const bar = page.getByRole("banner").getByRole("navigation", { name: "Main" });
  const labels = ["Features", "Pricing", "Blog", "FAQs"];
  await expect(bar.getByRole("link")).toHaveText(labels);
  await setAppearance(page, 390, "light");
  await page.goto("/");
  const menu = page.getByRole("button", { name: "Menu" });
  await menu.click();
  await expect(bar.getByRole("link")).toHaveText(labels);
  await expectAccessible(page, "site menu");
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect(menu).toBeFocused();
  await page.goto("/no-such-page");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(bar.getByRole("link")).toHaveText(labels);
  await expectAccessible(page, "the menu of the 404 page");
  await bar.getByRole("link", { name: "FAQs" }).click();
  await page.waitForURL("**/faqs");
  for (const { label, path } of HEADER_PAGES) {
    await page.getByRole("button", { name: "Menu" }).click();
    await bar.getByRole("link", { name: label }).click();
    await page.waitForURL(`**${path}`);
    await expect(bar).toBeHidden();
  }
});
