import { expect, type Locator } from "@playwright/test";
import { bulkSubmission } from "#tests/support/bulk-submission.ts";
import { begin, board, CREATE, create, image, images, many, number, rows, title } from "./support/bulk.ts";
import { test } from "./support/test.ts";

test("R-BULK-04, R-BULK-07, R-BULK-08, R-BULK-09, R-CONST-16, R-ENT-07, A-18 creates twenty drafts from images in one request, with titles from file names", async ({
  page,
}) => {
  const { accountId } = await begin(page);
  const chooseBy = async (label: Locator, count: number) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), label.click()]);
    await chooser.setFiles(await images(count));
  };
  await chooseBy(page.getByText("Choose images", { exact: true }), 20);
  await expect(rows(page)).toHaveCount(20);
  await expect(many(page)).toBeFocused();
  await chooseBy(page.locator("[data-slot=bulk-frame]").nth(1), 1);
  await expect(image(page, 2)).toBeFocused();
  await expect(number(page)).toHaveValue("20");
  await expect(title(page, 20)).toHaveValue("moss garden 20");
  const frame = page.locator("[data-slot=bulk-frame] .pin-face").first();
  expect(await frame.evaluate((one) => one.clientWidth / one.clientHeight)).toBeCloseTo(9 / 14, 1);
  await create(page).click();
  await expect(page.getByText("20 pins need your attention.")).toBeVisible();
  await expect(board(page, 1)).toBeFocused();
  await board(page, 1).selectOption({ index: 1 });
  await page.getByLabel("Description of pin 1", { exact: true }).fill("Soft and green.");
  await page.getByLabel("Description of pin 1", { exact: true }).press("Control+d");
  await expect(page.getByLabel("Description of pin 20", { exact: true })).toHaveValue("Soft and green.");
  await title(page, 4).press("Alt+ArrowDown");
  await expect(title(page, 5)).toBeFocused();
  const [request] = await Promise.all([page.waitForRequest(CREATE), title(page, 5).press("Control+Enter")]);
  const body = await new Response(new Uint8Array(request.postDataBuffer() ?? Buffer.alloc(0)), {
    headers: { "content-type": request.headers()["content-type"] ?? "" },
  })
    .formData()
    .catch(() => null);
  // Playwright does not always expose large bodies; if it does, check them.
  if (body) expect(bulkSubmission(body).pins).toHaveLength(20);
  await expect(page.getByText("Pins created successfully!").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Your 20 drafts are in Generated Posts.")).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("link", { name: "Generated Posts" }).last().click();
  await expect(page).toHaveURL(new RegExp(`generated-posts\\?account=${accountId}&status=draft`));
  const cards = page.getByRole("checkbox", { name: /^Select moss garden/ });
  await expect(cards).toHaveCount(20);
  const face = page.locator("[data-slot=pin-card] .pin-face img").first();
  await expect
    .poll(() =>
      face.evaluate((img: HTMLImageElement) => [
        img.complete && img.naturalWidth > 0,
        img.currentSrc.endsWith(".webp"),
      ]),
    )
    .toEqual([true, true]);
});
