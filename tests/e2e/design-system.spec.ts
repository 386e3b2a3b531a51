import { expect } from "@playwright/test";
import { appearancesFor, expectAccessible, setAppearance, takeScreenshot } from "./support/screens.ts";
import { test } from "./support/test.ts";

/** Buttons that open a dialog, with the dialog's name. */
const DIALOGS = [
  ["Open dialog", "Rename this board"],
  ["Open wide dialog", "A pin and its receipt"],
  ["Confirm", "Publish 3 pins now?"],
  ["Confirm removal", "Remove juniper.studio?"],
] as const;

test("every dialog is accessible, traps the focus and restores it", { tag: "@screens" }, async ({ page }) => {
  for (const { width, theme } of appearancesFor("design-system")) {
    await setAppearance(page, width, theme);
    await page.goto("/dev/ui");
    for (const [label, name] of DIALOGS) {
      const opener = page.getByRole("button", { name: label, exact: true });
      const dialog = page.getByRole("dialog", { name });
      await opener.click();
      await expect(dialog).toBeVisible();
      await expectAccessible(page, `${name}, ${theme}`);
      await takeScreenshot(page, `${label.replaceAll(" ", "-").toLowerCase()}-${width}-${theme}`);
      for (let steps = 0; steps < 4; steps += 1) {
        await page.keyboard.press("Tab");
        await expect(dialog.locator(":focus")).toHaveCount(1);
      }
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
      await expect(opener).toBeFocused();
    }
  }
});
