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

// One test per page, because the developers' page alone takes as long as all others together.
test.describe.configure({ mode: "parallel" });

for (const [name, path] of [...CONTENT_PAGES, ...FORMS]) {
  test(`the public page ${name} is accessible at three widths in both themes`, { tag: "@screens" }, async ({
    page,
  }) => {
    await checkEachAppearance(page, name, () => page.goto(path));
  });
}
