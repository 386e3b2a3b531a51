import { mkdirSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { looksOf, type ScreenName } from "./screen-names.ts";

export const WIDTHS = [390, 768, 1440] as const;

/** The widths and themes in which this run looks at a screen: one by a fixed rule, or all six in the suite `screens`. */
export const looksFor = (name: ScreenName) => looksOf(name, test.info().project.name === "screens");

const FOLDER = ".test/screens";

/** Sets width and theme as a visitor's browser would have them. */
export const dress = async (page: Page, width: number, theme: "light" | "dark"): Promise<void> => {
  await page.setViewportSize({ width, height: width < 700 ? 844 : 1000 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
};

const NO_SURFACE = "Unable to capture screenshot";

/** Right after its size has changed, a busy browser may have nothing yet to take a picture of. */
const shoot = async (page: Page, options: { path: string; fullPage: boolean }): Promise<void> => {
  try {
    await page.screenshot(options);
  } catch (error) {
    if (!String(error).includes(NO_SURFACE)) throw error;
    await page.screenshot(options);
  }
};

/**
 * Takes a picture for people to look at; the page has its fonts and has been drawn afterwards. Also where nobody looks:
 * without it, what lies below the window may not have been painted in its colours when they are judged.
 */
export const takePicture = async (page: Page, name: string, fullPage = false): Promise<void> => {
  mkdirSync(FOLDER, { recursive: true });
  await shoot(page, { path: `${FOLDER}/${name}.png`, fullPage });
  await page.evaluate(async () => {
    await document.fonts.ready;
    // An animation ends with a frame, also where a test holds the page's clock; what changes by a transition then ends.
    await document.documentElement.animate([], 1).finished;
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
};

/** Takes a picture, and checks what a machine can: nothing scrolls sideways, WCAG 2.2 AA holds. */
export const lookAt = async (page: Page, name: string): Promise<void> => {
  await takePicture(page, name, true);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
  await beAccessible(page, name);
};

/** Looks at a screen in the looks of this run; `arrange` brings it about each time. */
export const lookAround = async (page: Page, name: ScreenName, arrange: () => Promise<unknown>): Promise<void> => {
  for (const { width, theme } of looksFor(name)) {
    await dress(page, width, theme);
    await arrange();
    await lookAt(page, `${name}-${width}-${theme}`);
  }
};

/** A phone in the dark, as a page finds it that has not been painted yet. */
export const dressAsFirst = (page: Page): Promise<void> => dress(page, WIDTHS[0], "dark");

/**
 * Looks at what is on the screen in the looks of this run: the style sheet, and what watches sizes, have to bring it
 * about. `expectMore` checks what else holds at a width.
 */
export const lookAtAll = async (
  page: Page,
  name: ScreenName,
  expectMore: (width: number) => Promise<unknown> = async () => {},
): Promise<void> => {
  for (const { width, theme } of looksFor(name)) {
    await dress(page, width, theme);
    await expectMore(width);
    await lookAt(page, `${name}-${width}-${theme}`);
  }
};

/** WCAG 2.2 AA as far as a machine can tell; `name` says in a failure what was looked at. */
export const beAccessible = async (page: Page, name: string): Promise<void> => {
  const found = await (await axeFor(page))
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

/** Axe, half a megabyte of script, is read by a document once: a second look at it finds it there. */
const axeFor = async (page: Page): Promise<AxeBuilder> => {
  const isThere = page.frames().length === 1 && (await page.evaluate(() => "axe" in window));
  return new AxeBuilder({ page, ...(isThere && { axeSource: "void 0" }) });
};

const isLargeInTheMiddle = async (page: Page, place: string): Promise<boolean> => {
  await page.locator(place).evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const again = await (await axeFor(page))
    .include(place)
    .withRules(["target-size"])
    .setLegacyMode(page.frames().length === 1)
    .analyze();
  return again.violations.length === 0;
};
