import { expect } from "@playwright/test";
import { photo } from "#tests/support/sample-images.ts";
import { begin, board, create, many, number, rows, title } from "./support/bulk.ts";
import { test } from "./support/test.ts";

test("restores the draft with images after a reload, and deletes it on logout", async ({ page }) => {
  const { accountId } = await begin(page);
  await many(page).setInputFiles([{ name: "fern.jpg", mimeType: "image/jpeg", buffer: await photo() }]);
  await number(page).fill("2");
  await title(page, 2).fill("Second");
  await board(page, 1).selectOption({ index: 1 });
  const chosen = await board(page, 1).inputValue();
  const kept = () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const opening = indexedDB.open("bulkDraft", 1);
          opening.onsuccess = () => {
            const counting = opening.result.transaction("pictures").objectStore("pictures").count();
            counting.onsuccess = () => resolve(counting.result);
          };
        }),
    );
  await expect.poll(kept).toBe(1);
  await page.reload();
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(2);
  await expect(title(page, 1)).toHaveValue("fern");
  await expect(title(page, 2)).toHaveValue("Second");
  await expect(board(page, 2)).toHaveValue(chosen);
  await expect(rows(page).first().locator("img")).toBeVisible();
  await page.getByRole("button", { name: "Remove pin 2" }).click();
  await create(page).click();
  await expect(page.getByText("Your draft is in Generated Posts.")).toBeVisible({ timeout: 30_000 });
  await title(page, 1).fill("Left behind");
  await page.getByRole("button", { name: "Logout" }).first().click();
  await page.waitForURL(/\/login/);
  expect(await page.evaluate(() => localStorage.getItem("bulkDraft"))).toBeNull();
  await expect.poll(kept).toBe(0);
  expect(accountId).toMatch(/^acc_/);
});
