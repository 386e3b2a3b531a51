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

test("R-SRV-04 a picture that moderation refuses: the reason, the credits, and the old picture", async ({ page }) => {
  // No other test's picture is asked for by this word.
  const keyword = `refused bedroom ${Date.now()}`;
  const { dialog, picture, token } = await arrange(page, keyword);
  const before = await picture();
  const had = await balance(page, token);
  await page.request.post(`${process.env.E2E_OPENAI_URL}/__control/faults`, {
    data: { match: "POST /v1/images/generations", scenario: "moderation_blocked", where: { keyword } },
  });
  await dialog.getByRole("button", { name: "Make a new picture" }).click();
  await dialog.getByRole("button", { name: "Make it for 1 credit" }).click();
  await expect(dialog.getByText(/No new picture: .*refused.*The credits are back/)).toBeVisible({ timeout: 60_000 });
  expect(await picture()).toBe(before);
  expect(await balance(page, token)).toBe(had);
});

test("DESIGN 5.4 other words are suggested for nothing, and only Save keeps them", async ({ page }) => {
  const { dialog, token } = await arrange(page);
  const had = await balance(page, token);
  await dialog.getByRole("button", { name: "Edit" }).click();
  const title = dialog.getByLabel("Title", { exact: true });
  const before = await title.inputValue();
  await dialog.getByRole("button", { name: "Suggest another title" }).click();
  await expect(title).not.toHaveValue(before);
  await dialog.getByRole("button", { name: "Undo the suggested title" }).click();
  await expect(title).toHaveValue(before);
  await dialog.getByRole("button", { name: "Suggest another title" }).click();
  await expect(title).not.toHaveValue(before);
  const suggested = await title.inputValue();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog.getByText(before)).toBeVisible();
  await dialog.getByRole("button", { name: "Edit" }).click();
  await dialog.getByRole("button", { name: "Suggest another title" }).click();
  await expect(title).toHaveValue(suggested);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText(suggested)).toBeVisible();
  expect(await balance(page, token)).toBe(had);
});
