import { expect, type Page } from "@playwright/test";
import { lookAt } from "./support/looks.ts";
import { arrangeDrafts, choose, openDetails, selectionTools } from "./support/manage.ts";
import { afterEffects, test } from "./support/test.ts";

const BOARDS = "**/api/users/pinterest/boards/**";

const asks = (page: Page) => page.getByRole("dialog", { name: "Discard your changes?" });
const answer = (page: Page, name: string) => asks(page).getByRole("button", { name }).click();
const use = (page: Page, tool: string) => selectionTools(page).getByRole("button", { name: tool }).click();

test("DESIGN 5.4 what was typed to change several pins is given up only by who says so", async ({ page }) => {
  await arrangeDrafts(page, ["Cabin", "Ridge"]);
  await choose(page, "Cabin", "Ridge");
  await use(page, "Edit");
  const dialog = page.getByRole("dialog", { name: "Edit 2 pins" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await use(page, "Edit");
  const ending = dialog.getByLabel("Add to the end of each description");
  await ending.fill("#slow");
  await page.keyboard.press("Escape");
  await answer(page, "Keep editing");
  await expect(ending).toHaveValue("#slow");
  await expect(ending).toBeFocused();
  await dialog.getByRole("button", { name: "Close" }).click();
  await answer(page, "Discard");
  await expect(dialog).toBeHidden();
  await use(page, "Edit");
  await expect(ending).toHaveValue("");
});

test("A-15 words typed for a template are given up only by who says so", async ({ page }) => {
  await arrangeDrafts(page, ["Cabin"]);
  await choose(page, "Cabin");
  await use(page, "Template");
  const dialog = page.getByRole("dialog", { name: "Template" });
  const words = dialog.getByLabel("Words", { exact: true });
  await words.fill("Words of my own");
  await page.keyboard.press("Escape");
  await answer(page, "Keep editing");
  await expect(words).toHaveValue("Words of my own");
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await answer(page, "Discard");
  await expect(dialog).toBeHidden();
  await use(page, "Template");
  await expect(words).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("R-ERR-08 boards that could not be read are asked for again from every form that needs them", async ({ page }) => {
  await arrangeDrafts(page, ["Cabin"]);
  const again = page.getByRole("button", { name: "Try again" });
  const breakBoards = () => page.route(BOARDS, (route) => route.fulfill({ status: 500, body: "" }));
  const mend = async () => {
    await expect(page.getByText("Failed to fetch boards")).toBeVisible();
    await page.unroute(BOARDS);
    await again.press("Enter");
    await expect(again).toBeHidden();
  };
  await choose(page, "Cabin");
  await breakBoards();
  await use(page, "Edit");
  await mend();
  await expect(page.getByLabel("Board", { exact: true })).toBeFocused();
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByRole("button", { name: "Cancel" }).click();

  await breakBoards();
  await use(page, "Duplicate");
  await mend();
  await expect(page.getByRole("checkbox", { name: /, where it is now$/ })).toBeFocused();
  await page.getByRole("button", { name: "Cancel" }).click();

  const details = await openDetails(page, "Cabin");
  await breakBoards();
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabel("Title", { exact: true }).fill("Typed with care");
  await mend();
  await expect(details.getByLabel("Board", { exact: true })).toBeFocused();
  await expect(details.getByLabel("Title", { exact: true })).toHaveValue("Typed with care");
});

test("R-SRV-05 an account that lost its connection says so where its boards are chosen", async ({ page }) => {
  await arrangeDrafts(page, ["Cabin"]);
  await choose(page, "Cabin");
  const error = "Please connect this Pinterest account again.";
  await page.route(BOARDS, (route) => route.fulfill({ status: 409, json: { error, message: error } }));
  await use(page, "Edit");
  await expect(page.getByRole("dialog").getByText(error)).toBeVisible();
});

test("R-POST-06 a wide picture is shown whole, as a feed and the close-up of Pinterest show it", async ({ page }) => {
  await arrangeDrafts(page, ["Wide"]);
  // On the wall its frame keeps 9:14 (R-BULK-07), and nothing of the picture is cut off.
  const face = page.locator(".post .pin-face");
  const frame = await face.evaluate((one) => one.clientWidth / one.clientHeight);
  expect(frame).toBeCloseTo(9 / 14, 2);
  await expect(face.locator("img")).toHaveCSS("object-fit", "contain");
  await lookAt(page, "wall-wide");
  const details = await openDetails(page, "Wide");
  for (const view of ["Picture", "Feed", "Close-up"]) {
    await details.getByRole("radio", { name: view }).check({ force: true });
    const shape = () =>
      details
        .locator(".pin-preview .pin-face img")
        .evaluate((img: HTMLImageElement) =>
          img.complete && img.naturalHeight > 0
            ? img.clientWidth / img.clientHeight / (img.naturalWidth / img.naturalHeight)
            : 0,
        );
    await expect.poll(shape, view).toBeCloseTo(1, 1);
  }
});
