import { lookAround } from "#tests/e2e/support/looks.ts";
import { test } from "#tests/e2e/support/test.ts";

const PUBLIC = [
  ["landing", "/"],
  ["blog", "/blog"],
  ["article", "/blog/pinterest-pin-sizes"],
  ["register", "/register"],
  ["login", "/login"],
  ["forgot-password", "/forgot-password"],
  ["reset-password", "/reset-password/a-token-that-nobody-has"],
  ["reset-password-invalid", "/reset-password"],
  ["contact-us", "/contact-us"],
  ["lost", "/no-such-page"],
] as const;

for (const [name, path] of PUBLIC) {
  test(`the public page ${name} at three widths in both themes`, { tag: "@screens" }, async ({ page }) => {
    await lookAround(page, name, () => page.goto(path));
  });
}
