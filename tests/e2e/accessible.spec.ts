import { expect, type Page } from "@playwright/test";
import { beAccessible, dress, looksFor } from "./support/looks.ts";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

test("the dialogs that ask before something ends, and the one that edits a draft", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  const { username, id } = await connectQuickly(page, token);
  await insertGenerated(id, ["evergreen cabins"]);
  const mine = await page.context().storageState();
  await page.request.post("/api/users/login/", { data: { email: who.email, password: who.password } });
  await page.context().addCookies(mine.cookies);
  const dialog = page.getByRole("dialog");
  const asks = [
    ["/app", `Remove ${username}`, "Keep it"],
    ["/app/settings", "End all other logins", "Keep them"],
  ] as const;
  for (const { width, theme } of looksFor("dialogs")) {
    await dress(page, width, theme);
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
