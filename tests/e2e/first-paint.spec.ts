import { expect, type Page, test } from "@playwright/test";
import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { WIDTHS } from "./support/screens.ts";

const PAGES = ["/", "/pricing", "/blog", "/faqs", "/login", "/contact-us", "/privacy-policy", "/no/such/page"];

/** Position, colors and fonts of everything on the first screen. */
const firstScreen = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.body.querySelectorAll("*")].flatMap((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      if (width * height === 0 || top > innerHeight || one.closest("script, style, link")) return [];
      const { color, backgroundColor, backgroundImage, borderColor, font, opacity, boxShadow, display, transform } =
        getComputedStyle(one);
      const place = [left, top, width, height].map((px) => Math.round(px)).join(" ");
      const styles = [
        color,
        backgroundColor,
        backgroundImage,
        borderColor,
        font,
        opacity,
        boxShadow,
        display,
        transform,
      ];
      return [`${one.tagName} ${one.getAttribute("class") ?? ""} | ${place} | ${styles.join(" | ")}`];
    });
  });

test("the first paint matches the final style sheet in both themes", async ({ page, context }) => {
  test.setTimeout(300_000);
  const { hostname } = new URL(process.env.BASE_URL ?? "");
  // Only inline scripts run; external scripts are blocked.
  await page.route(/\.js(\?|$)/, (route) => route.abort());
  for (const theme of ["light", "dark"] as const) {
    // The opposite of the system's theme, so that the root's class decides.
    await page.emulateMedia({ colorScheme: theme === "dark" ? "light" : "dark", reducedMotion: "reduce" });
    await context.addCookies([{ name: THEME_COOKIE, value: theme, domain: hostname, path: "/" }]);
    for (const [index, path] of PAGES.entries()) {
      // Each page at one width per theme, so that all six combinations are covered.
      const width = WIDTHS[(index + (theme === "dark" ? 1 : 0)) % WIDTHS.length] ?? WIDTHS[0];
      await page.setViewportSize({ width, height: 900 });
      await page.goto(path);
      const whole = await firstScreen(page);
      await page.route(/\.css(\?|$)/, (route) => route.abort());
      await page.goto(path);
      expect(await page.locator("link[rel=stylesheet]").count()).toBeGreaterThan(0);
      expect(await firstScreen(page), `${path} at ${width}, ${theme}`).toEqual(whole);
      await page.unroute(/\.css(\?|$)/);
      expect(whole.length).toBeGreaterThan(10);
    }
  }
});
