import { expect, type Page } from "@playwright/test";
import { UNDO_MS } from "#components/ui/toast-times.ts";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { letPass, ownClock, stopClock } from "./support/clock.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { beAccessible, dress, lookAt, THEMES, takePicture, WIDTHS } from "./support/looks.ts";
import { test } from "./support/test.ts";

const notice = (page: Page) => page.getByTestId("notice");

/** Each button of the page that opens a dialog, and the dialog's name. */
const DIALOGS = [
  ["Open dialog", "Rename this board"],
  ["Open wide dialog", "A pin and its receipt"],
  ["Ask", "Send 3 pins now?"],
  ["Ask before removing", "Remove juniper.studio?"],
] as const;

/** Each button that shows a notice, and the notice's title. */
const NOTICES = [
  ["Show success", "Succès!"],
  ["Show error", "Erreur!"],
] as const;

test("each dialog can be used by everybody, holds the focus and gives it back", async ({ page }) => {
  for (const theme of THEMES) {
    await dress(page, 768, theme);
    await page.goto("/dev/ui");
    for (const [label, name] of DIALOGS) {
      const opener = page.getByRole("button", { name: label, exact: true });
      const dialog = page.getByRole("dialog", { name });
      await opener.click();
      await expect(dialog).toBeVisible();
      await beAccessible(page, `${name}, ${theme}`);
      await takePicture(page, `${label.replaceAll(" ", "-").toLowerCase()}-768-${theme}`);
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
