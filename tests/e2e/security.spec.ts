import { expect, type Page } from "@playwright/test";
import { eq, sql } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import { awaitEmail } from "./support/inbox.ts";
import { login } from "./support/person.ts";
import { fixtures } from "./support/quick.ts";
import { section } from "./support/settings-screen.ts";
import { test, untilInteractive } from "./support/test.ts";

const STRONG = "Ever green 2026!";

const openSettings = async (page: Page) => {
  await page.goto("/app/settings");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("a change of email is confirmed, recorded, and survived by every tab; a new browser is reported", async ({
  page,
  browser,
}) => {
  const who = await fixtures().user({ isVerified: true });
  await page.goto("/login");
  await login(page, who);
  await openSettings(page);
  const activity = section(page, "Security activity").getByRole("listitem");
  await expect(activity).toHaveCount(1);
  await expect(activity.first()).toContainText("Signed in with your password");
  await expect(activity.first()).toContainText("Chrome on");

  const elevenMinutesAgo = sql`now() - interval '11 minutes'`;
  await fixtures().db.update(logins).set({ confirmedAt: elevenMinutesAgo }).where(eq(logins.userId, who.id));
  const next = `new.${who.email}`;
  await page.getByRole("button", { name: "Change email" }).click();
  await page.getByLabel("New email").fill(next);
  await page.getByRole("button", { name: "Send link" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm that it's you" });
  await confirm.getByLabel("Password", { exact: true }).fill("not it");
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await expect(confirm.getByText("That isn't your current password")).toBeVisible();
  await confirm.getByLabel("Password", { exact: true }).fill(who.password);
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await expect(section(page, "Email").getByText(next)).toBeVisible();
  await expect(activity.first()).toContainText(`Email change to ${next} requested`);

  // A second tab goes on with the tokens that the first one got with the new password.
  const tab = await page.context().newPage();
  await openSettings(tab);
  await page.getByRole("button", { name: "Change password" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("New password", { exact: true }).fill(STRONG);
  await form.getByLabel("Confirm new password").fill(STRONG);
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(activity.first()).toContainText("Password changed");
  await tab.getByRole("link", { name: "Analytics" }).first().click();
  await tab.waitForURL(/\/app\/analytics/);
  await openSettings(tab);
  await expect(section(tab, "Security activity").getByRole("listitem").first()).toContainText("Password changed");

  const elsewhere = await browser.newContext();
  const stranger = await elsewhere.newPage();
  await stranger.goto("/login");
  await untilInteractive(stranger);
  await login(stranger, { ...who, password: STRONG });
  const notice = await awaitEmail(page, who.email, ({ subject }) => subject.startsWith("New sign-in to your"));
  expect(notice.text).toContain("Device: Chrome on");
  await elsewhere.close();
});
