import { mkdirSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** The widths every screen is looked at. */
export const WIDTHS = [390, 768, 1440] as const;
export const THEMES = ["light", "dark"] as const;

const FOLDER = ".test/screens";

/** Sets width and theme as a visitor's browser would have them. */
export const dress = async (page: Page, width: number, theme: "light" | "dark"): Promise<void> => {
  await page.setViewportSize({ width, height: width < 700 ? 844 : 1000 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
};

/** Takes a picture for people to look at, and checks what a machine can: nothing scrolls sideways, WCAG 2.2 AA holds. */
export const lookAt = async (page: Page, name: string): Promise<void> => {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
  await beAccessible(page, name);
};

/** WCAG 2.2 AA as far as a machine can tell; `name` says in a failure what was looked at. */
export const beAccessible = async (page: Page, name: string): Promise<void> => {
  const found = await new AxeBuilder({ page })
    .options({ resultTypes: ["violations"] })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
    // The newer way opens a tab of its own each time to join what several frames found: twice the work.
    .setLegacyMode(page.frames().length === 1)
    .analyze();
  const told: string[] = [];
  for (const { id, nodes } of found.violations) {
    for (const { target } of nodes) {
      const place = target.join(" ");
      // A bar that stays at the window's edge may half cover what can be scrolled clear of it: looked at there.
      if (id === "target-size" && (await isLargeInTheMiddle(page, place))) continue;
      told.push(`${id}: ${place}`);
    }
  }
  expect(told, name).toEqual([]);
};

const isLargeInTheMiddle = async (page: Page, place: string): Promise<boolean> => {
  await page.locator(place).evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const again = await new AxeBuilder({ page }).include(place).withRules(["target-size"]).analyze();
  return again.violations.length === 0;
};
