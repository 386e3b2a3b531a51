import { expect } from "@playwright/test";
import type { ScreenName } from "#tests/e2e/support/screen-names.ts";
import { checkEachAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

const GROUPS: [string, [ScreenName, string][]][] = [
  [
    "about the product",
    [
      ["landing", "/"],
      ["features", "/features"],
      ["pricing", "/pricing"],
      ["faqs", "/faqs#free-plan"],
    ],
  ],
  [
    "to read",
    [
      ["blog", "/blog"],
      ["article", "/blog/pinterest-pin-sizes"],
      ["privacy", "/privacy-policy"],
      ["lost", "/no-such-page"],
    ],
  ],
  [
    "with forms",
    [
      ["register", "/register"],
      ["login", "/login"],
      ["login-verify", "/login/verify"],
      ["forgot-password", "/forgot-password"],
      ["reset-password", "/reset-password/a-token-that-nobody-has"],
      ["reset-password-invalid", "/reset-password"],
      ["contact-us", "/contact-us"],
    ],
  ],
];

// In parallel, because the developers' page alone takes as long as all others together.
test.describe.configure({ mode: "parallel" });

for (const [group, pages] of GROUPS) {
  test(`public pages ${group} are accessible at three widths in both themes`, { tag: "@screens" }, async ({ page }) => {
    test.setTimeout(600_000);
    for (const [name, path] of pages) {
      await test.step(name, () => checkEachAppearance(page, name, () => page.goto(path)));
    }
  });
}

test("the developers' page is accessible at three widths in both themes, and its forms send calls", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  await checkEachAppearance(page, "developers", () => page.goto("/developers"));
  const call = page.getByRole("region", { name: "List accounts", exact: true });
  await call.getByText("Try it").click();
  await call.getByLabel("API key").fill("evertack_nobody");
  await call.getByRole("button", { name: "Send" }).click();
  await expect(call.getByText("Response: 401")).toBeVisible();
});
