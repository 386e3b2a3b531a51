import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { connectQuickly, insertPins, sharedProduct, signIn } from "./support/quick.ts";
import { checkAppearances } from "./support/screens.ts";
import { test } from "./support/test.ts";

const begin = async (page: Page) => {
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  const [pinId = ""] = await insertPins(account.id, [{ title: "Moss", keyword: "green" }]);
  const list = await page.request.get(`/api/users/pinterest/generated-pins/${account.id}/?ids=${pinId}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { posts } = Object(await list.json());
  const boards = await page.request.get(`/api/users/pinterest/boards/${account.id}/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return {
    account,
    image: `${sharedProduct().baseUrl}${posts[0].image_url}`,
    board: String(Object(await boards.json()).items[0].name),
  };
};

const rows = (page: Page) => page.locator("[data-slot=import-row]");

test("@screens imports pasted rows after an error is fixed in place, exports them, and imports the export again", async ({
  page,
}) => {
  test.slow();
  const { account, image, board } = await begin(page);
  await page.goto("/app/create-pin");
  await page.getByRole("link", { name: "Import a spreadsheet" }).click();
  await expect(page.getByRole("heading", { name: "Import Pins" })).toBeVisible();
  await checkAppearances(page, "import");
  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = [
    "Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords",
    `Fern,${image},${board},,Soft,https://example.com/fern,,green`,
    `,${image},${board},,,,,`,
    `Later,${image},Shade plants,,,,2020-01-01 10:00,`,
  ].join("\n");
  await page.getByLabel("Or paste rows from a spreadsheet").fill(sheet);
  await page.getByRole("button", { name: "Review rows" }).click();
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByText("this looks like Pinterest's bulk format")).toBeVisible();
  await expect(page.locator("[data-slot=row-problem]")).toHaveCount(3);
  await expect(rows(page).locator("img").first()).toBeVisible({ timeout: 60_000 });
  await checkAppearances(page, "import-review");
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole("button", { name: "Fix row 3" }).click();
  await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  await page.getByRole("textbox", { name: "Title" }).fill("Moss two");
  await page.getByRole("button", { name: "Save row 3" }).click();
  await expect(rows(page).nth(1)).toContainText("Moss two");
  await page.getByRole("button", { name: "Create “Shade plants”" }).click();
  await expect(page.locator("[data-slot=row-problem]")).toHaveCount(1);
  await page.getByRole("radio", { name: "Drafts" }).check();
  await expect(page.locator("[data-slot=row-problem]")).toHaveCount(0);
  await page.getByRole("button", { name: "Create 3 drafts" }).click();
  await expect(page.getByText("We created 3 drafts from your spreadsheet.")).toBeVisible({ timeout: 60_000 });

  await page.locator("[data-slot=banner]").getByRole("link", { name: "Generated Posts" }).click();
  await expect(page.getByRole("checkbox", { name: /^Select / })).toHaveCount(4);
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "CSV, with results" }).click(),
  ]);
  const file = await download.path();
  expect(await readFile(file, "utf8")).toContain("Shade plants");

  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByLabel("Choose a spreadsheet, or drop it here").setInputFiles(file);
  await page.getByRole("button", { name: "Review rows" }).click();
  await expect(page.getByText("this looks like an export from this app")).toBeVisible();
  await page.getByRole("radio", { name: "Drafts" }).check();
  await page.getByRole("button", { name: "Create 4 drafts" }).click({ timeout: 60_000 });
  await expect(page.getByText("We created 4 drafts from your spreadsheet.")).toBeVisible({ timeout: 60_000 });
  await page.goto(`/app/generated-posts?account=${account.id}`);
  await expect(page.getByRole("checkbox", { name: "Select Fern" })).toHaveCount(2);
});
