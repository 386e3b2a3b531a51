import { expect, type Page } from "@playwright/test";
import { TOAST_MS } from "#components/ui/toast-times.ts";
import { signText } from "#lib/core/crypto.ts";
import { unsubscribeOffer } from "#lib/features/email/rendering.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { sharedProduct, signIn } from "./support/quick.ts";
import { appearancesFor, checkAppearances, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const emails = (page: Page) => page.getByRole("region", { name: "Email preferences", exact: true });

const openSettings = async (page: Page): Promise<void> => {
  await page.goto("/app/settings#mails");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("R-SRV-04 switches each kind of email off and on in the settings, by mouse and keyboard", {
  tag: "@screens",
}, async ({ page }) => {
  await holdTimers(page, TOAST_MS);
  await signIn(page);
  await openSettings(page);
  const boxes = emails(page).getByRole("checkbox");
  await expect(boxes).toHaveCount(5);
  for (const box of await boxes.all()) await expect(box).toBeChecked();
  await expect(emails(page).getByRole("checkbox", { name: "Your week on Pinterest", exact: true })).toBeVisible();
  const disconnected = emails(page).getByRole("checkbox", { name: "Disconnected accounts", exact: true });
  await expect(disconnected).toHaveAccessibleDescription(
    "When an account loses its connection. Its scheduled pins wait until you reconnect.",
  );
  await disconnected.click();
  await expect(page.getByText("You won't get these emails anymore")).toBeVisible();
  await emails(page).getByRole("checkbox", { name: "Low credits" }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("You won't get these emails anymore")).toHaveCount(2);
  await openSettings(page);
  await expect(disconnected).not.toBeChecked();
  await expect(emails(page).getByRole("checkbox", { checked: true })).toHaveCount(3);
  await disconnected.check();
  await expect(page.getByText("You'll get these emails again")).toBeVisible();
  await openSettings(page);
  await expect(emails(page).getByRole("checkbox", { checked: true })).toHaveCount(4);
  for (const { width, theme } of appearancesFor("settings-emails")) {
    await setAppearance(page, width, theme);
    await emails(page).scrollIntoViewIfNeeded();
    await checkScreen(page, `settings-mails-${width}-${theme}`);
  }
  await setAppearance(page, 390, "light");
  for (const box of await emails(page).getByRole("listitem").all()) {
    expect((await box.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
});

test("R-SRV-04 an emailed link unsubscribes without a login; an invalid one shows an error", {
  tag: "@screens",
}, async ({ page, browser }) => {
  const { who } = await signIn(page);
  const { claim, seed } = unsubscribeOffer(who.id, ["pins_failed", "account_lost"]);
  const settings = { tokenSecret: sharedProduct().env.AUTH_SECRET ?? "" };
  const path = `/unsubscribe/${claim}.${signText(settings.tokenSecret, seed)}`;

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(path);
  await expect(stranger.getByRole("main")).toContainText(
    "stop sending you emails about pins that failed to publish and disconnected accounts",
  );
  await checkAppearances(stranger, "unsubscribe");
  await stranger.getByRole("button", { name: "Unsubscribe" }).click();
  await expect(stranger.getByRole("heading", { name: "You're unsubscribed" })).toBeFocused();
  await expect(stranger.getByRole("link", { name: "Email preferences" })).toHaveAttribute(
    "href",
    "/app/settings#mails",
  );
  await stranger.goto("/unsubscribe/usr_0.pins_failed.x");
  await stranger.getByRole("button", { name: "Unsubscribe" }).click();
  await expect(stranger.getByRole("heading", { name: "This link isn't valid" })).toBeFocused();
  await expect(stranger.getByRole("link", { name: "Email preferences" })).toBeVisible();
  await context.close();

  await openSettings(page);
  await expect(emails(page).getByRole("checkbox", { checked: false })).toHaveCount(2);
  await expect(emails(page).getByRole("checkbox", { name: "Pins that failed to publish" })).not.toBeChecked();
});
