import { expect, type Page } from "@playwright/test";
import { connectQuickly, insertPins, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

const select = async (page: Page, names: readonly string[]): Promise<void> => {
  for (const name of names) await page.getByRole("checkbox", { name }).check();
};

test("trends and lists at three widths in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await insertPins(account.id, [{ title: "Bread", keyword: "sourdough bread", status: "published" }]);
  await setFirstAppearance(page);
  await page.goto("/app/keywords");
  await expect(page.getByRole("row", { name: /sourdough bread/ })).toBeVisible();
  await page.getByRole("button", { name: "More filters" }).click();
  await select(page, ["sourdough bread", "pumpkin soup recipe"]);
  await checkAppearances(page, "keywords");
  await page.getByRole("button", { name: "Save to list…" }).click();
  await page.getByLabel("Name of the new list").fill("Baking");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goto("/app/keywords?view=lists");
  await expect(page.getByRole("checkbox", { name: "sourdough bread" })).toBeVisible();
  await checkAppearances(page, "keywords-lists");
});
