import { expect } from "@playwright/test";
import { beAccessible, dress, looksFor, takePicture } from "./support/looks.ts";
import { test } from "./support/test.ts";

/** Each button of the page that opens a dialog, and the dialog's name. */
const DIALOGS = [
  ["Open dialog", "Rename this board"],
  ["Open wide dialog", "A pin and its receipt"],
  ["Ask", "Send 3 pins now?"],
  ["Ask before removing", "Remove juniper.studio?"],
] as const;

test("each dialog can be used by everybody, holds the focus and gives it back", { tag: "@screens" }, async ({
  page,
}) => {
  for (const { width, theme } of looksFor("design-system")) {
    await dress(page, width, theme);
    await page.goto("/dev/ui");
    for (const [label, name] of DIALOGS) {
      const opener = page.getByRole("button", { name: label, exact: true });
      const dialog = page.getByRole("dialog", { name });
      await opener.click();
      await expect(dialog).toBeVisible();
      await beAccessible(page, `${name}, ${theme}`);
      await takePicture(page, `${label.replaceAll(" ", "-").toLowerCase()}-${width}-${theme}`);
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
