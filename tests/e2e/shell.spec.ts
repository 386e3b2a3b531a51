import { expect, type Page } from "@playwright/test";
import { HEADER_PAGES, SITE_PAGES } from "#components/site/pages.ts";
import { UNDO_MS } from "#components/ui/toast-times.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { beAccessible, dress, lookAt, looksFor } from "./support/looks.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

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

test("R-NAV-04 by keyboard alone: skip link, palette, sheet, and a letter for each screen", async ({ page }) => {
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
  await openPalette(page);
  await page.keyboard.type("logout");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login/);
});

test("single keys write where something is typed, and can be switched off", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openScreen(page, "/app");
  await goByKeys(page, "c", "Creator");
  const keyword = page.getByLabel("Keyword 1", { exact: true });
  await keyword.click();
  await page.keyboard.type("g?b");
  await expect(keyword).toHaveValue("g?b");
  await expect(sheet(page)).toBeHidden();

  await title(page, "Creator").click();
  await page.keyboard.press("?");
  await expect(sheet(page)).toBeVisible();
  const keys = await sheet(page).locator("[data-slot=shortcut] dd").allTextContents();
  expect(keys.length).toBeGreaterThan(8);
  expect(new Set(keys).size, keys.join(" ")).toBe(keys.length);
  await sheet(page)
    .getByRole("checkbox", { name: /single key/ })
    .uncheck();
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await page.keyboard.press("?");
  // The palette's own keys are heard still, so the question mark before them was heard too, and left alone.
  await openPalette(page);
  await expect(sheet(page)).toBeHidden();
});

test("the theme follows the palette, the switch follows the theme, and both outlast a reload", async ({ page }) => {
  await signIn(page);
  await openScreen(page, "/app");
  await openPalette(page);
  await page.keyboard.type("night");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  await page.reload();
  await expect(page.locator("html")).toHaveClass(/\bdark\b/);
  await page.getByRole("radio", { name: "As the device" }).check();
  await expect(page.locator("html")).not.toHaveClass(/\b(dark|light)\b/);
});

test("a removed keyword comes back by Undo, which the keyboard reaches", async ({ page }) => {
  await holdTimers(page, UNDO_MS);
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openScreen(page, "/app");
  await goByKeys(page, "c", "Creator");
  const keyword = (row: number) => page.getByLabel(`Keyword ${row}`, { exact: true });
  await keyword(1).fill("evergreen cabins");
  await keyword(2).fill("linen bedding");
  await page.getByRole("button", { name: "Remove row 1" }).click();
  await expect(keyword(1)).toHaveValue("linen bedding");
  await expect(page.getByText("Row 1 removed")).toBeVisible();
  await page.keyboard.press("Alt+KeyT");
  // The message itself comes first.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Undo" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(keyword(1)).toHaveValue("evergreen cabins");
  await expect(keyword(2)).toHaveValue("linen bedding");
  await expect(page.getByText("Row 1 removed")).toBeHidden();
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

test("the drawer of a phone, and the search above it, give the focus back", async ({ page }) => {
  await signIn(page);
  await dress(page, 390, "dark");
  await openScreen(page, "/app");
  const opener = page.getByRole("button", { name: "Open menu" });
  await opener.click();
  const drawer = page.getByRole("dialog", { name: "Menu" });
  await lookAt(page, "drawer-390-dark");
  await drawer.getByRole("button", { name: "Search" }).click();
  await expect(field(page)).toBeFocused();
  // Which of two dialogs hears a key is settled after both are drawn.
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await expect(drawer).toBeVisible();
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(opener).toBeFocused();
});

test("R-NAV-05, R-NAV-06, R-NAV-08 the sidebar has the balance, Settings, the Help Center and Logout", async ({
  page,
}) => {
  await signIn(page);
  await openScreen(page, "/app");
  const sidebar = page.getByRole("complementary", { name: "Sidebar" });
  await expect(sidebar.getByRole("region", { name: "Credits" }).locator("[data-slot=credit-number]")).toHaveText("5");
  await expect(sidebar.getByRole("link", { name: "Settings" })).toHaveAttribute("href", "/app/settings");
  await expect(sidebar.getByRole("button", { name: "Logout" })).toBeVisible();
  await sidebar.getByRole("link", { name: "Help Center" }).click();
  await page.waitForURL("**/contact-us");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
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
