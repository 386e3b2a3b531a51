import { readdirSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { SITE_PAGES } from "#components/site/pages.ts";
import { inRepository } from "#scripts/root.ts";
import { beAccessible, dress, lookAt, THEMES } from "./support/looks.ts";
import { connectQuickly, generateQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

/** These are looked at in `screens.spec.ts` and `status.spec.ts`, at more widths. */
const ELSEWHERE: readonly string[] = ["/", "/blog", "/blog/pinterest-pin-sizes", "/contact-us", "/status"];

const ARTICLES = readdirSync(inRepository("content", "blog")).map((name) => `/blog/${name.replace(/\.md$/, "")}`);

/** Every other public page, so that a new one is looked at as soon as it stands in a menu. */
const PAGES = [
  ...[...SITE_PAGES.map(({ path }) => path), ...ARTICLES].filter((path) => !ELSEWHERE.includes(path)),
  "/faqs#free-plan",
  "/verify-email/a-token-that-nobody-has",
  "/change-email/a-token-that-nobody-has",
  "/unsubscribe/a-token-that-nobody-has",
];

/** Each page once as a phone at night shows it, and once as a desk by day does. */
const LOOKS = [
  [390, "dark"],
  [1440, "light"],
] as const;

const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

test("the dialogs that ask before something ends, and the one that edits a draft", async ({ page }) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  const { username, id } = await connectQuickly(page, token);
  await generateQuickly(page, token, id, ["evergreen cabins"]);
  const mine = await page.context().storageState();
  await page.request.post("/api/users/login/", { data: { email: who.email, password: who.password } });
  await page.context().addCookies(mine.cookies);
  const dialog = page.getByRole("dialog");
  const asks = [
    ["/app", `Remove ${username}`, "Keep it"],
    ["/app/settings", "End all other logins", "Keep them"],
  ] as const;
  for (const theme of THEMES) {
    await dress(page, 390, theme);
    for (const [path, opener, declines] of asks) {
      await openScreen(page, path);
      await page.getByRole("button", { name: opener, exact: true }).click();
      await expect(dialog.getByRole("button", { name: declines })).toBeVisible();
      await beAccessible(page, `${opener}, ${theme}`);
    }
    await openScreen(page, "/app/generated-posts");
    await page.getByRole("button", { name: /^Pin Details/ }).click();
    await dialog.getByRole("button", { name: "Edit" }).click();
    await expect(dialog.getByLabel("Title", { exact: true })).toBeVisible();
    await beAccessible(page, `edit a draft, ${theme}`);
  }
});
