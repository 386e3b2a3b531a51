import { expect, type Page } from "@playwright/test";
import { TOAST_MS } from "#components/ui/toast-times.ts";
import { signText } from "#lib/core/crypto.ts";
import { unsubscribeOffer } from "#lib/features/email/rendering.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { sharedProduct, signIn } from "./support/quick.ts";
import { appearancesFor, checkAppearances, checkScreen, setAppearance } from "./support/screens.ts";
import { test, untilInteractive } from "./support/test.ts";

const emails = (page: Page) => page.getByRole("region", { name: "Email preferences", exact: true });

const openSettings = async (page: Page): Promise<void> => {
  await page.goto("/app/settings#mails");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("R-SRV-04 an emailed link unsubscribes without a login; each kind is switched on and off in the settings, by mouse and keyboard", {
  tag: "@screens",
}, async ({ page, browser }) => {
  test.setTimeout(300_000);
  await holdTimers(page, TOAST_MS);
  const { who } = await signIn(page);
  const { claim, seed } = unsubscribeOffer(who.id, ["pins_failed", "account_lost"]);
  const settings = { tokenSecret: sharedProduct().env.AUTH_SECRET ?? "" };
  const path = `/unsubscribe/${claim}.${signText(settings.tokenSecret, seed)}`;

  await test.step("a link from an email, and an invalid one", async () => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(path);
    await expect(stranger.getByRole("main")).toContainText(
      "stop sending you emails about pins that failed to publish and disconnected accounts",
    );
    await untilInteractive(stranger);
    await checkAppearances(stranger, "unsubscribe");
    await stranger.getByRole("button", { name: "Unsubscribe" }).click();
    await expect(stranger.getByRole("heading", { name: "You're unsubscribed" })).toBeFocused();
    await expect(stranger.getByRole("link", { name: "Email preferences" })).toHaveAttribute(
      "href",
      "/app/settings#mails",
    );
    await stranger.goto("/unsubscribe/usr_0.pins_failed.x");
    await untilInteractive(stranger);
    await stranger.getByRole("button", { name: "Unsubscribe" }).click();
    await expect(stranger.getByRole("heading", { name: "This link isn't valid" })).toBeFocused();
    await expect(stranger.getByRole("link", { name: "Email preferences" })).toBeVisible();
    await context.close();
  });

  await test.step("the settings", async () => {
    await openSettings(page);
    const box = (name: string) => emails(page).getByRole("checkbox", { name, exact: true });
    const checked = emails(page).getByRole("checkbox", { checked: true });
    await expect(emails(page).getByRole("checkbox")).toHaveCount(5);
    await expect(checked).toHaveCount(3);
    for (const off of ["Pins that failed to publish", "Disconnected accounts"]) {
      await expect(box(off)).not.toBeChecked();
    }
    await expect(box("Your week on Pinterest")).toBeChecked();
    await expect(box("Disconnected accounts")).toHaveAccessibleDescription(
      "When an account loses its connection. Its scheduled pins wait until you reconnect.",
    );
    await box("Disconnected accounts").check();
    await expect(page.getByText("You'll get these emails again")).toBeVisible();
    await box("Low credits").focus();
    await page.keyboard.press("Space");
    await expect(page.getByText("You won't get these emails anymore")).toBeVisible();
    await openSettings(page);
    await expect(checked).toHaveCount(3);
    await expect(box("Disconnected accounts")).toBeChecked();
    await expect(box("Low credits")).not.toBeChecked();
    for (const { width, theme } of appearancesFor("settings-emails")) {
      await setAppearance(page, width, theme);
      await emails(page).scrollIntoViewIfNeeded();
      await checkScreen(page, `settings-mails-${width}-${theme}`);
    }
    await setAppearance(page, 390, "light");
    for (const item of await emails(page).getByRole("listitem").all()) {
      expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });
});
