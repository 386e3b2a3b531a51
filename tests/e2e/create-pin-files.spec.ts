import { expect } from "@playwright/test";
import { badImages, movingGif, photo } from "#tests/support/sample-images.ts";
import { begin, board, create, image, many, number, rows, title } from "./support/bulk.ts";
import { test } from "./support/test.ts";

test("reports files that are not images at their pin, in the browser or from the server", async ({ page }) => {
  await begin(page);
  const bad = await badImages();
  const chosen = bad.map(({ name, file }) => ({ name: `${name}.jpg`, mimeType: "image/jpeg", buffer: file }));
  await many(page).setInputFiles(chosen);
  await expect(rows(page)).toHaveCount(bad.length);
  for (const [index, { says }] of bad.entries()) {
    if (`${says}`.includes("damaged") || `${says}`.includes("million")) continue;
    await expect(rows(page).nth(index).getByText(says)).toBeVisible();
  }
  const damaged = bad.findIndex(({ says }) => `${says}`.includes("damaged"));
  await board(page, 1).selectOption({ index: 1 });
  await number(page).fill("1");
  await image(page, 1).setInputFiles(chosen[damaged] ?? []);
  await create(page).click();
  await expect(
    rows(page)
      .first()
      .getByText(/image is damaged/),
  ).toBeVisible({ timeout: 30_000 });
  await image(page, 1).setInputFiles({ name: "moves.gif", mimeType: "image/gif", buffer: await movingGif(4) });
  await expect(page.getByText("If this GIF is animated, we'll use its first frame.")).toBeVisible();
  await create(page).click();
  await expect(page.getByText("We used the first frame of the animated GIF for pin 1.")).toBeVisible({
    timeout: 30_000,
  });
});

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
  expect(await kept()).toBe(0);
  expect(accountId).toMatch(/^acc_/);
});
