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
  const image = () => dialog.locator(".pin-face img").first().getAttribute("src");
  return { dialog, image, token, accountId: id };
};

const balance = async (page: Page, token: string): Promise<number> => {
  const answer = await page.request.get("/api/users/credits/", { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { available_credits: number }).available_credits;
};

test("R-SRV-01, R-CONST-01 a new image: its cost first, the old image until it is ready, and a way to restore it", async ({
  page,
}) => {
  const { dialog, image, token } = await arrange(page);
  const before = await image();
  const had = await balance(page, token);
  await dialog.getByRole("button", { name: "Generate new image" }).click();
  await expect(dialog.getByText(`This costs 1 credit. You have ${had}.`)).toBeVisible();
  await dialog.getByRole("radio", { name: "High, 2 credits" }).check();
  await expect(dialog.getByText(`This costs 2 credits. You have ${had}.`)).toBeVisible();
  await dialog.getByRole("button", { name: "Keep current image" }).click();
  expect(await balance(page, token)).toBe(had);
  await dialog.getByRole("button", { name: "Generate new image" }).click();
  await dialog.getByRole("button", { name: "Generate for 1 credit" }).dblclick();
  await expect(page.getByText("New image ready")).toBeVisible({ timeout: 60_000 });
  await expect.poll(image).not.toBe(before);
  expect(await balance(page, token)).toBe(had - 1);
  await dialog.getByRole("button", { name: "Restore previous image" }).click();
  await expect.poll(image).toBe(before);
  await expect(dialog.getByRole("button", { name: "Restore previous image" })).toBeHidden();
  await page.goto("/app/settings/credits");
  await expect(page.getByText(/^Spent on a new image for "/)).toHaveCount(1);
});
