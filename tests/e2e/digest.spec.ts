import { expect, type Page } from "@playwright/test";
import { TOAST_MS } from "#components/ui/toast-times.ts";
import { signText } from "#lib/core/crypto.ts";
import { offerUnsubscribe } from "#lib/features/email/rendering.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { dress, lookAt, lookAtAll, looksFor } from "./support/looks.ts";
import { sharedProduct, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const mails = (page: Page) => page.getByRole("region", { name: "Mails", exact: true });

const openSettings = async (page: Page): Promise<void> => {
  await page.goto("/app/settings#mails");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("R-SRV-04 each kind of mail is switched off and on in the settings, by mouse and by keyboard", {
  tag: "@screens",
}, async ({ page }) => {
  await holdTimers(page, TOAST_MS);
  await signIn(page);
  await openSettings(page);
  const boxes = mails(page).getByRole("checkbox");
  await expect(boxes).toHaveCount(5);
  for (const box of await boxes.all()) await expect(box).toBeChecked();
  await expect(mails(page).getByRole("checkbox", { name: "Your week on Pinterest", exact: true })).toBeVisible();
  const lost = mails(page).getByRole("checkbox", { name: "Accounts that lost their connection", exact: true });
  await expect(lost).toHaveAccessibleDescription("Scheduled pins wait until you connect again.");
  await lost.click();
  await expect(page.getByText("You get no more of these mails")).toBeVisible();
  await mails(page).getByRole("checkbox", { name: "Credits running low" }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("You get no more of these mails")).toHaveCount(2);
  await openSettings(page);
  await expect(lost).not.toBeChecked();
  await expect(mails(page).getByRole("checkbox", { checked: true })).toHaveCount(3);
  await lost.check();
  await expect(page.getByText("You get these mails again")).toBeVisible();
  await openSettings(page);
  await expect(mails(page).getByRole("checkbox", { checked: true })).toHaveCount(4);
  for (const { width, theme } of looksFor("settings-emails")) {
    await dress(page, width, theme);
    await mails(page).scrollIntoViewIfNeeded();
    await lookAt(page, `settings-mails-${width}-${theme}`);
  }
  await dress(page, 390, "light");
  for (const box of await mails(page).getByRole("listitem").all()) {
    expect((await box.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
});

test("R-SRV-04 the link of a mail stops its kinds without a login; one that is not whole says so", {
  tag: "@screens",
}, async ({ page, browser }) => {
  const { who } = await signIn(page);
  const { claim, seed } = offerUnsubscribe(who.id, ["pins_failed", "account_lost"]);
  const settings = { tokenSecret: sharedProduct().env.AUTH_SECRET ?? "" };
  const path = `/unsubscribe/${claim}.${signText(settings.tokenSecret, seed)}`;

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(path);
  await expect(stranger.getByRole("main")).toContainText(
    "no more mails about pins that were not published and accounts that lost their connection",
  );
  await lookAtAll(stranger, "unsubscribe");
  await stranger.getByRole("button", { name: "Stop these mails" }).click();
  await expect(stranger.getByRole("heading", { name: "These mails are stopped" })).toBeFocused();
  await expect(stranger.getByRole("link", { name: "Choose your mails" })).toHaveAttribute(
    "href",
    "/app/settings#mails",
  );
  await stranger.goto("/unsubscribe/usr_0.pins_failed.x");
  await stranger.getByRole("button", { name: "Stop these mails" }).click();
  await expect(stranger.getByRole("heading", { name: "This link is not whole" })).toBeFocused();
  await expect(stranger.getByRole("link", { name: "Choose your mails" })).toBeVisible();
  await context.close();

  await openSettings(page);
  await expect(mails(page).getByRole("checkbox", { checked: false })).toHaveCount(2);
  await expect(mails(page).getByRole("checkbox", { name: "Pins that were not published" })).not.toBeChecked();
});
