import { mkdirSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { appearancesOf, type ScreenName } from "./screen-names.ts";

export const WIDTHS = [390, 768, 1440] as const;

/** The widths and themes in which this run checks a screen: one by a fixed rule, or all six in the suite `screens`. */
export const appearancesFor = (name: ScreenName) => appearancesOf(name, test.info().project.name === "screens");

const FOLDER = ".test/screens";

/** Sets the window size and the preferred color scheme. */
export const setAppearance = async (page: Page, width: number, theme: "light" | "dark"): Promise<void> => {
  await page.setViewportSize({ width, height: width < 700 ? 844 : 1000 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
};

const NO_SURFACE_ERROR = "Unable to capture screenshot";

/** Right after a resize, a busy browser may not have a surface to capture yet. */
const screenshot = async (page: Page, options: { path: string; fullPage: boolean }): Promise<void> => {
  try {
    await page.screenshot(options);
  } catch (error) {
    if (!String(error).includes(NO_SURFACE_ERROR)) throw error;
    await page.screenshot(options);
  }
};

/**
 * Takes a screenshot, then waits for fonts and transitions. Always call it before checking colors: without it, content
 * below the window may not have been painted yet.
 */
export const takeScreenshot = async (page: Page, name: string, fullPage = false): Promise<void> => {
  mkdirSync(FOLDER, { recursive: true });
  await screenshot(page, { path: `${FOLDER}/${name}.png`, fullPage });
  await page.evaluate(async () => {
    await document.fonts.ready;
    // An animation ends with a frame, even when the test controls the clock; transitions have ended by then.
    await document.documentElement.animate([], 1).finished;
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
};

/** Takes a screenshot, and checks that nothing scrolls sideways and that WCAG 2.2 AA holds. */
export const checkScreen = async (page: Page, name: string): Promise<void> => {
  await takeScreenshot(page, name, true);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
  await expectAccessible(page, name);
};

/** Checks a screen in each appearance of this run; `arrange` opens it each time. */
export const checkEachAppearance = async (
  page: Page,
  name: ScreenName,
  arrange: () => Promise<unknown>,
): Promise<void> => {
  for (const { width, theme } of appearancesFor(name)) {
    await setAppearance(page, width, theme);
    await arrange();
    await checkScreen(page, `${name}-${width}-${theme}`);
  }
};

/** Sets the appearance in which pages are opened first: a phone in the dark theme. */
export const setFirstAppearance = (page: Page): Promise<void> => setAppearance(page, WIDTHS[0], "dark");

/** Checks the open screen in each appearance of this run, without reloading. `expectMore` runs at every width. */
export const checkAppearances = async (
  page: Page,
  name: ScreenName,
  expectMore: (width: number) => Promise<unknown> = async () => {},
): Promise<void> => {
  for (const { width, theme } of appearancesFor(name)) {
    await setAppearance(page, width, theme);
    await expectMore(width);
    await checkScreen(page, `${name}-${width}-${theme}`);
  }
};

/** Checks WCAG 2.2 AA with axe; `name` appears in the failure message. */
export const expectAccessible = async (page: Page, name: string): Promise<void> => {
  const found = await (await axeFor(page))
    .options({ resultTypes: ["violations"] })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
    // The new mode opens another tab to merge the results of several frames, which takes twice as long.
    .setLegacyMode(page.frames().length === 1)
    .analyze();
  const violations: string[] = [];
  for (const { id, nodes } of found.violations) {
    for (const { target } of nodes) {
      const place = target.join(" ");
      // A sticky bar may cover half of an element that can be scrolled into view: check it there.
      if (id === "target-size" && (await isLargeWhenCentered(page, place))) continue;
      violations.push(`${id}: ${place}`);
    }
  }
  expect(violations, name).toEqual([]);
};

/** Axe is half a megabyte of script, so it is loaded only once per document. */
const axeFor = async (page: Page): Promise<AxeBuilder> => {
  const isThere = page.frames().length === 1 && (await page.evaluate(() => "axe" in window));
  return new AxeBuilder({ page, ...(isThere && { axeSource: "void 0" }) });
};

const isLargeWhenCentered = async (page: Page, place: string): Promise<boolean> => {
  await page.locator(place).evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const again = await (await axeFor(page))
    .include(place)
    .withRules(["target-size"])
    .setLegacyMode(page.frames().length === 1)
    .analyze();
  return again.violations.length === 0;
};
