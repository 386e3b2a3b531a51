import { expect, type Locator, type Page } from "@playwright/test";
import { begin, board, create, image, images, many, number, rows, title } from "./support/bulk.ts";
import { test } from "./support/test.ts";

const MAX_TABS = 40;

/** Presses Tab until the control has the focus. */
const tabTo = async (page: Page, control: Locator): Promise<void> => {
  for (let stop = 0; stop < MAX_TABS; stop += 1) {
    await page.keyboard.press("Tab");
    if (await control.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(control).toBeFocused();
};

const isOutlined = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const shown = [element, element.parentElement].flatMap((one) => (one ? [getComputedStyle(one)] : []));
    return shown.some(({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none");
  });

/** Opens the file chooser of the focused field. A listener for choosers must already be attached, because the first one
 * changes the browser's mode asynchronously. */
const chooseFiles = async (page: Page, count: number): Promise<void> => {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
  await chooser.setFiles(await images(count));
};

test("R-ROUTE-21, R-BULK-02, R-BULK-03, A-16 creates two pins with the keyboard alone", async ({ page }) => {
  page.on("filechooser", () => undefined);
  await begin(page);
  await number(page).focus();
  await page.keyboard.press("ArrowUp");
  await expect(rows(page)).toHaveCount(2);
  await tabTo(page, many(page));
  expect(await isOutlined(many(page))).toBe(true);
  await chooseFiles(page, 3);
  await expect(rows(page)).toHaveCount(3);

  await tabTo(page, image(page, 1));
  expect(await isOutlined(image(page, 1))).toBe(true);
  await tabTo(page, title(page, 1));
  await page.keyboard.type(" by hand");
  await expect(title(page, 1)).toHaveValue(/ by hand/);
  await expect(board(page, 1)).toBeEnabled();
  await tabTo(page, board(page, 1));
  await page.keyboard.press("ArrowDown");
  await expect(board(page, 3)).not.toHaveValue("");
  const lock = page.getByRole("button", { name: "Separate board for pin 1" });
  await tabTo(page, lock);
  await page.keyboard.press("Space");
  await expect(lock).toHaveAttribute("aria-pressed", "true");
  await tabTo(page, page.getByRole("button", { name: "Remove pin 1" }));
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await title(page, 1).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await expect(title(page, 2)).toBeFocused();
  await tabTo(page, create(page));
  await page.keyboard.press("Enter");
  await expect(page.getByText("Your 2 drafts are in Generated Posts.")).toBeVisible({ timeout: 30_000 });
});
