import { expect, type Page } from "@playwright/test";
import { lookAt } from "./support/looks.ts";
import { arrangeDrafts, choose, openDetails, selectionTools } from "./support/manage.ts";
import { afterEffects, test } from "./support/test.ts";

const asks = (page: Page) => page.getByRole("dialog", { name: "Discard your changes?" });
const answer = (page: Page, name: string) => asks(page).getByRole("button", { name }).click();
const use = (page: Page, tool: string) => selectionTools(page).getByRole("button", { name: tool }).click();

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

test("R-POST-06 a wide picture is shown whole, as a feed and the close-up of Pinterest show it", async ({ page }) => {
  await arrangeDrafts(page, ["Wide"]);
  // On the wall its frame keeps 9:14 (R-BULK-07), and nothing of the picture is cut off.
  const face = page.locator("[data-slot=post] .pin-face");
  const frame = await face.evaluate((one) => one.clientWidth / one.clientHeight);
  expect(frame).toBeCloseTo(9 / 14, 2);
  await expect(face.locator("img")).toHaveCSS("object-fit", "contain");
  await lookAt(page, "wall-wide");
  const details = await openDetails(page, "Wide");
  for (const view of ["Picture", "Feed", "Close-up"]) {
    await details.getByRole("radio", { name: view }).check({ force: true });
    const shape = () =>
      details
        .locator("[data-slot=pin-preview] .pin-face img")
        .evaluate((img: HTMLImageElement) =>
          img.complete && img.naturalHeight > 0
            ? img.clientWidth / img.clientHeight / (img.naturalWidth / img.naturalHeight)
            : 0,
        );
    await expect.poll(shape, view).toBeCloseTo(1, 1);
  }
});
