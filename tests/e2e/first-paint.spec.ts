import { expect, type Page, test } from "@playwright/test";
import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { WIDTHS } from "./support/looks.ts";

const PAGES = ["/", "/pricing", "/blog", "/faqs", "/login", "/contact-us", "/privacy-policy", "/no/such/page"];

/** Place, colours and letters of everything that the first screen shows. */
const firstScreen = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.body.querySelectorAll("*")].flatMap((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      if (width * height === 0 || top > innerHeight || one.closest("script, style, link")) return [];
      const { color, backgroundColor, backgroundImage, borderColor, font, opacity, boxShadow, display, transform } =
        getComputedStyle(one);
      const place = [left, top, width, height].map((px) => Math.round(px)).join(" ");
      const looks = [
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
      return [`${one.tagName} ${one.getAttribute("class") ?? ""} | ${place} | ${looks.join(" | ")}`];
    });
  });

test("QUALITY 2 the first answer paints the page as its style sheet will, in both themes", async ({
  page,
  context,
}) => {
  test.setTimeout(300_000);
  const { hostname } = new URL(process.env.BASE_URL ?? "");
  // The document alone: its own scripts in the head run, what would have to be fetched does not come.
  await page.route(/\.js(\?|$)/, (route) => route.abort());
  for (const theme of ["light", "dark"] as const) {
    // Chosen against the system's: what the root's class alone decides.
    await page.emulateMedia({ colorScheme: theme === "dark" ? "light" : "dark", reducedMotion: "reduce" });
    await context.addCookies([{ name: THEME_COOKIE, value: theme, domain: hostname, path: "/" }]);
    for (const [index, path] of PAGES.entries()) {
      // Each page at one width in each theme, so that all six combinations occur.
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
