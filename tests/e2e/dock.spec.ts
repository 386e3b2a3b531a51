import { expect, type Locator } from "@playwright/test";
import { UNDO_MS } from "#components/ui/toast-times.ts";
import { begin, image, many, pictures, rows } from "./support/bulk.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { dress } from "./support/looks.ts";
import { arrangeDrafts, choose, selectionTools } from "./support/manage.ts";
import { login } from "./support/person.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const boxOf = async (one: Locator) => {
  const box = await one.boundingBox();
  if (!box) throw new Error("It has no box.");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
};

for (const width of [390, 1440]) {
  test(`DESIGN 5.4 at ${width} px a toast leaves the commands for the selected pins free`, async ({ page }) => {
    await holdTimers(page, UNDO_MS);
    await arrangeDrafts(page, ["Cabin", "Ridge"]);
    await dress(page, width, "light");
    await choose(page, "Cabin", "Ridge");
    await selectionTools(page)
      .getByRole("button", { name: width < 700 ? "Change" : "Duplicate" })
      .click();
    if (width < 700) await page.getByRole("menuitem", { name: "Duplicate" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: /^Make 2 drafts/ }).click();
    const toast = page.locator(".toast");
    await expect(toast).toBeVisible();
    for (const part of ["top", "foot"] as const) {
      await page.evaluate((to) => window.scrollTo(0, to === "top" ? 0 : document.body.scrollHeight), part);
      await expect
        .poll(
          async () => (await boxOf(toast)).bottom - (await boxOf(page.locator("[data-slot=selection-dock]"))).y,
          part,
        )
        .toBeLessThanOrEqual(0);
      expect((await boxOf(toast)).y).toBeGreaterThanOrEqual(0);
    }
  });
}

test("R-BULK-07 after images were chosen by a press the focus stays with what chose them", async ({ page }) => {
  await begin(page);
  const chooseBy = async (label: Locator, count: number) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), label.click()]);
    await chooser.setFiles(await pictures(count));
  };
  await chooseBy(page.getByText("Choose images", { exact: true }), 2);
  await expect(rows(page)).toHaveCount(2);
  await expect(many(page)).toBeFocused();
  await chooseBy(page.locator("[data-slot=bulk-frame]").nth(1), 1);
  await expect(image(page, 2)).toBeFocused();
});

test("R-NAV-08 colours that were not saved are forgotten with the login", async ({ page }) => {
  const { token, who } = await signIn(page);
  await connectQuickly(page, token);
  await page.goto("/app/brand");
  const plum = page.getByRole("button", { name: "Plum" });
  await plum.click();
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL(/\/login/);
  // The same page goes on: nothing of it is loaded anew.
  await login(page, who);
  await page.getByRole("link", { name: "Brand Kit" }).first().click();
  await expect(plum).toHaveAttribute("aria-pressed", "false");
});
