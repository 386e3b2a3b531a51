import { expect, type Page } from "@playwright/test";
import { signInConfirmed } from "./support/quick.ts";
import { test } from "./support/test.ts";

/** On the page of Google's stand-in. */
const continueAs = async (page: Page, email: string) => {
  await expect(page.getByRole("heading", { name: "Sign in with Google" })).toBeVisible();
  await page.getByLabel("Another email address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
};

const google = (page: Page) => page.getByRole("link", { name: "Continue with Google" });
const section = (page: Page) => page.getByRole("region", { name: "Google", exact: true });
const newEmail = () => `moss.${Math.random().toString(36).slice(2, 10)}@gmail.example`;

const forgetSession = async (page: Page) => {
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
};

test("cancel at Google, sign up with it, and sign in again to the remembered page", async ({ page }) => {
  const email = newEmail();
  await page.goto("/login");
  await google(page).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/login\/?$/);
  await expect(page.getByText("Google sign-in canceled. Try again.")).toBeVisible();
  await google(page).click();
  await continueAs(page, email);
  await expect(page).toHaveURL(/\/register\/?$/);
  await expect(page.getByText("There's no account for that Google account yet.")).toBeVisible();
  await google(page).click();
  await continueAs(page, email);
  await expect(page).toHaveURL(/\/app\/?$/);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.goto("/app/settings");
  await expect(section(page)).toContainText(email);
  await section(page).getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByText("Set a password first, so that you can still sign in.")).toBeVisible();
  await forgetSession(page);
  await page.goto("/login?next=%2Fapp%2Fvideos");
  await google(page).click();
  await continueAs(page, email);
  await expect(page).toHaveURL(/\/app\/videos\/?$/);
});

test("connect Google in Settings, sign in with it, and disconnect", async ({ page }) => {
  const { who } = await signInConfirmed(page);
  const email = newEmail();
  await page.goto("/app/settings");
  await section(page).getByRole("button", { name: "Connect Google" }).click();
  await continueAs(page, email);
  await expect(section(page)).toContainText(email);
  await expect(page.getByText("Google connected")).toBeVisible();
  await forgetSession(page);
  await page.goto("/login?next=%2Fapp%2Fsettings");
  await google(page).click();
  await continueAs(page, email);
  await expect(page.getByRole("region", { name: "Email", exact: true })).toContainText(who.email);
  await section(page).getByRole("button", { name: "Disconnect" }).click();
  await expect(section(page)).toContainText("Not connected");
});
