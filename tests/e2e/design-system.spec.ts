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

test("every component in each state, at three widths in both themes", async ({ page }) => {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      await dress(page, width, theme);
      await page.goto("/dev/ui");
      await lookAt(page, `components-${width}-${theme}`);
    }
  }
});

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

test("R-NOTE-01, R-NOTE-02, R-TIME-02, A-09 the notice has its French title, and closes after three seconds, not before", async ({
  page,
}) => {
  await ownClock(page);
  await page.goto("/dev/ui");
  for (const [label, title] of NOTICES) {
    await stopClock(page);
    await page.getByRole("button", { name: label }).click();
    await expect(notice(page).getByText(title, { exact: true })).toHaveAttribute("lang", "fr");
    await letPass(page, NOTICE_MS - 1);
    await expect(notice(page)).toBeVisible();
    await letPass(page, 1);
    await expect(notice(page)).toBeHidden();
  }
});

test("the notice can be read by everybody", async ({ page }) => {
  await holdTimers(page, NOTICE_MS);
  for (const theme of THEMES) {
    await dress(page, 390, theme);
    for (const [label, title] of NOTICES) {
      await page.goto("/dev/ui");
      await page.getByRole("button", { name: label }).click();
      await expect(notice(page)).toContainText(title);
      await takePicture(page, `notice-${label.replace(" ", "-").toLowerCase()}-390-${theme}`);
      await beAccessible(page, `${title}, ${theme}`);
    }
  }
});

test("R-NOTE-02 a second notice takes the first one's place and has its own three seconds; Escape closes it", async ({
  page,
}) => {
  await ownClock(page);
  await page.goto("/dev/ui");
  await stopClock(page);
  await page.getByRole("button", { name: "Show success" }).click();
  await letPass(page, NOTICE_MS - 1);
  await page.getByRole("button", { name: "Show error" }).click();
  await letPass(page, NOTICE_MS - 1);
  await expect(notice(page)).toHaveCount(1);
  await expect(notice(page)).toContainText("Erreur!");
  await page.keyboard.press("Escape");
  await expect(notice(page)).toBeHidden();
});

test("a toast's Undo takes back what was done", async ({ page }) => {
  await holdTimers(page, UNDO_MS);
  await page.goto("/dev/ui");
  await page.getByRole("button", { name: "Delete a draft" }).click();
  await expect(page.getByText("toast with undo, 2 drafts")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("toast with undo, 3 drafts")).toBeVisible();
});
