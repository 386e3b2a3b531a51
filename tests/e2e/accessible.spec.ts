import { expect, type Page } from "@playwright/test";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { appearancesFor, expectAccessible, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

test("confirmation dialogs and the draft editor are accessible", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  const { username, id } = await connectQuickly(page, token);
  await insertGenerated(id, ["cabins in the woods"]);
  const mine = await page.context().storageState();
  await page.request.post("/api/users/login/", { data: { email: who.email, password: who.password } });
  await page.context().addCookies(mine.cookies);
  const dialog = page.getByRole("dialog");
  const confirmations = [
    ["/app", `Remove ${username}`, "Keep it"],
    ["/app/settings", "Sign out everywhere else", "Cancel"],
  ] as const;
  for (const { width, theme } of appearancesFor("dialogs")) {
    await setAppearance(page, width, theme);
    for (const [path, opener, decline] of confirmations) {
      await openScreen(page, path);
      await page.getByRole("button", { name: opener, exact: true }).click();
      await expect(dialog.getByRole("button", { name: decline })).toBeVisible();
      await expectAccessible(page, `${opener}, ${theme}`);
    }
    await openScreen(page, "/app/generated-posts");
    await page.getByRole("button", { name: /^Pin Details/ }).click();
    await dialog.getByRole("button", { name: "Edit" }).click();
    await expect(dialog.getByLabel("Title", { exact: true })).toBeVisible();
    await expectAccessible(page, `edit a draft, ${theme}`);
  }
});
