import { expect } from "@playwright/test";
import { begin, board, create, many, pictures } from "#tests/e2e/support/bulk.ts";
import { dress, lookAt, looksFor } from "#tests/e2e/support/looks.ts";
import { test } from "#tests/e2e/support/test.ts";

test("the form can be used by everybody, at every width, by day and by night", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  await begin(page);
  await many(page).setInputFiles([
    ...(await pictures(3)),
    { name: "x.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg>") },
  ]);
  await board(page, 1).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Its own board for pin 2" }).click();
  await create(page).click();
  await expect(page.getByText("One pin needs your attention.")).toBeVisible();
  for (const { width, theme } of looksFor("create-pin")) {
    await dress(page, width, theme);
    await lookAt(page, `create-pin-${width}-${theme}`);
  }
});
