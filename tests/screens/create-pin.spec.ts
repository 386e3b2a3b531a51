import { expect } from "@playwright/test";
import { begin, board, create, images, many } from "#tests/e2e/support/bulk.ts";
import { appearancesFor, checkScreen, setAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

test("the form is accessible at every width in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  await begin(page);
  await many(page).setInputFiles([
    ...(await images(3)),
    { name: "x.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg>") },
  ]);
  await board(page, 1).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Separate board for pin 2" }).click();
  await page.getByRole("button", { name: "Preview of pin 1" }).click();
  await create(page).click();
  await expect(page.getByText("One pin needs your attention.")).toBeVisible();
  for (const { width, theme } of appearancesFor("create-pin")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `create-pin-${width}-${theme}`);
  }
});
