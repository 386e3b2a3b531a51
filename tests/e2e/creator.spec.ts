import { expect, type Page } from "@playwright/test";
import { connectQuickly, pasteLines, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const openCreator = async (page: Page): Promise<void> => {
  await page.goto("/app/evertack-creator");
  await expect(page.locator("[inert]")).toHaveCount(0);
};
const chooseBoard = (page: Page) => page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
const keyword = (page: Page, n: number) => page.getByLabel(`Keyword ${n}`, { exact: true });
const generate = (page: Page) => page.getByRole("button", { name: "Generate Content" });

test("R-ROUTE-23, R-AIC-11, R-AIC-12, R-SRV-02 with credits for five of six, five start with a warning, then none", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await openCreator(page);
  await chooseBoard(page);
  await keyword(page, 1).click();
  await pasteLines(
    page,
    ["one", "two", "three", "four", "five", "six"].map((word) => `${word} winter ideas`),
  );
  await generate(page).click();
  await expect(page.getByText(/You have enough credits for 5 of 6 pins, so 1 keyword was left out/)).toBeVisible();
  await expect(page.getByText("of 5 finished")).toBeVisible();
  await expect(generate(page)).toBeHidden();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await page.getByRole("button", { name: "Make another batch" }).click();
  await chooseBoard(page);
  await keyword(page, 1).fill("one more");
  await generate(page).click();
  await expect(page.getByText(/Nothing was generated/)).toBeVisible();
  await expect(generate(page)).toBeVisible();
});
