import { expect, type Locator } from "@playwright/test";
import { UNDO_MS } from "#components/ui/toast-times.ts";
import { begin, many, number, pictures, rows } from "./support/bulk.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { dress } from "./support/looks.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

/** The edges of something, once it is there. */
const boxOf = async (one: Locator) => {
  await expect(one).toBeVisible();
  const box = await one.boundingBox();
  if (!box) throw new Error("It has no box.");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
};

test("R-BULK-02, R-BULK-05 removing pins keeps the focus among them, on a phone within the margins", async ({
  page,
}) => {
  await holdTimers(page, UNDO_MS);
  await begin(page);
  await dress(page, 390, "light");
  await many(page).setInputFiles(await pictures(4));
  await expect(rows(page)).toHaveCount(4);
  for (const row of await rows(page).all()) expect((await boxOf(row)).right).toBeLessThanOrEqual(370);
  expect((await boxOf(page.locator(".bulk-head"))).right).toBeLessThanOrEqual(370);
  const remove = (n: number) => page.getByRole("button", { name: `Remove pin ${n}`, exact: true });
  await remove(2).press("Enter");
  await expect(rows(page)).toHaveCount(3);
  await expect(remove(2)).toBeFocused();
  await remove(3).press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await expect(remove(2)).toBeFocused();
  await page.getByRole("button", { name: "Undo", exact: true }).last().press("Enter");
  await expect(number(page)).toHaveValue("3");
  // It goes back to the button that had it, whichever number that pin has by now.
  await expect(page.locator(".bulk-remove:focus")).toHaveCount(1);
});

test("R-NAV-04 colours that were not saved wait until the Brand Kit is opened again, and the page asks before it goes", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await page.goto("/app/brand");
  const plum = page.getByRole("button", { name: "Plum" });
  await plum.click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("link", { name: "Brand Kit" }).first().click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await afterEffects(page);
  const asked = page.waitForEvent("dialog");
  const leaving = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await leaving;
  await expect(plum).toHaveAttribute("aria-pressed", "false");
});

test("R-ERR-08 boards that could not be read are asked for again without losing the form", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await page.route("**/api/users/pinterest/boards/**", (route) => route.fulfill({ status: 500, body: "" }));
  await page.goto("/app/create-pin");
  await page.getByLabel("Title of pin 1", { exact: true }).fill("Typed with care");
  const again = page.getByRole("button", { name: "Try again" });
  await expect(again).toBeVisible();
  await page.unroute("**/api/users/pinterest/boards/**");
  await again.press("Enter");
  await page.getByLabel("Board of pin 1", { exact: true }).selectOption({ index: 1 });
  await expect(again).toBeHidden();
  await expect(page.getByLabel("Title of pin 1", { exact: true })).toHaveValue("Typed with care");
});
