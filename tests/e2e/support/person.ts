import { randomBytes } from "node:crypto";
import { expect, type Page } from "@playwright/test";

/** A user who registers in a test. */
export interface Person {
  first: string;
  last: string;
  username: string;
  email: string;
  password: string;
}

export const newPerson = (): Person => {
  const username = `fern${randomBytes(5).toString("hex")}`;
  return { first: "Fern", last: "Hollow", username, email: `${username}@example.com`, password: "correct horse 1" };
};

/** Fills and sends the register form, and waits for /login. */
export const register = async (page: Page, who: Person): Promise<void> => {
  await page.goto("/register");
  await page.getByLabel("First name").fill(who.first);
  await page.getByLabel("Last name").fill(who.last);
  await page.getByLabel("Username").fill(who.username);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByLabel("Confirm password").fill(who.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId("notice")).toContainText("please verify your email.");
  await page.waitForURL(/\/login/);
};

/** Signs in on the login page and waits for a path. */
export const login = async (page: Page, who: Person, arrives = /\/app\/?$/): Promise<void> => {
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(arrives);
};

/** Connects an account on Pinterest's consent page. */
export const connect = async (page: Page, username: string): Promise<void> => {
  await page.getByRole("button", { name: "Connect Account" }).click();
  await page.getByRole("radio", { name: new RegExp(username) }).check();
  await page.getByRole("button", { name: "Give access" }).click();
  // Do not wait for the load event: the notice closes after three seconds.
  await page.waitForURL(/\/app\/$/, { waitUntil: "commit" });
  await expect(page.getByTestId("notice")).toContainText("Pinterest account connected successfully!");
};
