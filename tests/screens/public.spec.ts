import type { ScreenName } from "#tests/e2e/support/screen-names.ts";
import { checkEachAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

const CONTENT_PAGES: [ScreenName, string][] = [
  ["landing", "/"],
  ["features", "/features"],
  ["pricing", "/pricing"],
  ["faqs", "/faqs#free-plan"],
  ["blog", "/blog"],
  ["article", "/blog/pinterest-pin-sizes"],
  ["privacy", "/privacy-policy"],
  ["developers", "/developers"],
  ["lost", "/no-such-page"],
];

const FORMS: [ScreenName, string][] = [
  ["register", "/register"],
  ["login", "/login"],
  ["login-verify", "/login/verify"],
  ["forgot-password", "/forgot-password"],
  ["reset-password", "/reset-password/a-token-that-nobody-has"],
  ["reset-password-invalid", "/reset-password"],
  ["contact-us", "/contact-us"],
];

for (const [what, screens] of [
  ["content pages", CONTENT_PAGES],
  ["forms", FORMS],
] as const) {
  test(`public ${what} are accessible at three widths in both themes`, { tag: "@screens" }, async ({ page }) => {
    test.setTimeout(300_000);
    for (const [name, path] of screens) await checkEachAppearance(page, name, () => page.goto(path));
  });
}
