import { expect, type Page } from "@playwright/test";
import { connectQuickly, generateQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const arrange = async (page: Page, keyword = "quiet bedroom") => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await generateQuickly(page, token, id, [keyword]);
  await page.goto("/app/generated-posts");
  await page.getByRole("button", { name: /^Pin Details/ }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect(dialog).toBeVisible();
  const picture = () => dialog.locator(".pin-face img").first().getAttribute("src");
  return { dialog, picture, token, accountId: id };
};

const balance = async (page: Page, token: string): Promise<number> => {
  const answer = await page.request.get("/api/users/credits/", { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { available_credits: number }).available_credits;
};

test("R-SRV-01, R-CONST-01 a new picture: its cost first, the old one until it is there, and Undo brings that back", async ({
  page,
}) => {
  const { dialog, picture, token } = await arrange(page);
  const before = await picture();
  const had = await balance(page, token);
  await dialog.getByRole("button", { name: "Make a new picture" }).click();
  await expect(dialog.getByText(`It costs 1 credit; you have ${had}.`)).toBeVisible();
  await dialog.getByRole("radio", { name: "High, 2 credits" }).check();
  await expect(dialog.getByText(`It costs 2 credits; you have ${had}.`)).toBeVisible();
  await dialog.getByRole("button", { name: "Keep the picture" }).click();
  expect(await balance(page, token)).toBe(had);
  await dialog.getByRole("button", { name: "Make a new picture" }).click();
  await dialog.getByRole("button", { name: "Make it for 1 credit" }).dblclick();
  await expect(page.getByText("The new picture is there")).toBeVisible({ timeout: 60_000 });
  await expect.poll(picture).not.toBe(before);
  expect(await balance(page, token)).toBe(had - 1);
  await dialog.getByRole("button", { name: "Bring the picture before back" }).click();
  await expect.poll(picture).toBe(before);
  await expect(dialog.getByRole("button", { name: "Bring the picture before back" })).toBeHidden();
  await page.goto("/app/settings/credits");
  await expect(page.getByText(/^Spent on a new picture for "/)).toHaveCount(1);
});
