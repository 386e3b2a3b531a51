import { expect, type Page, test } from "@playwright/test";
import { appCodeAt } from "#tests/support/app-codes.ts";
import { awaitLink } from "./support/inbox.ts";
import { newPerson } from "./support/person.ts";
import { fixtures } from "./support/quick.ts";

// The messages are the same as with scripts, since both use the same rules.
test.use({ javaScriptEnabled: false });

const fill = async (page: Page, values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value);
};

const send = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Expects an invalid field with an accessible error. */
const expectInvalid = async (page: Page, name: string, text: string) => {
  const field = page.locator(`[name=${name}]`);
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await expect(field).toHaveAccessibleDescription(new RegExp(text));
};

test("R-REG-02, R-LOGIN-03, R-FPW-03, R-RPW-03 registration, login and password reset work without scripts", async ({
  page,
}) => {
  const who = newPerson();
  await page.goto("/register");
  await fill(page, { first_name: who.first, email: "not an address", password: "short", confirmPassword: "other" });
  await send(page, "Create account");
  await expect(page.getByText("Please fix the form errors before submitting.")).toBeVisible();
  await expectInvalid(page, "last_name", "Last name is required");
  await expectInvalid(page, "email", "Invalid email format");
  await expectInvalid(page, "password", "Password must be at least 8 characters");
  await expectInvalid(page, "confirmPassword", "Passwords do not match");
  await expect(page.locator("[name=first_name]")).toHaveValue(who.first);
  await expect(page.locator("[name=password]")).toHaveValue("");
  const names = { first_name: who.first, last_name: who.last, username: who.username, email: who.email };
  await fill(page, { ...names, password: who.password, confirmPassword: who.password });
  await send(page, "Create account");
  await expect(page.getByText("please verify your email.")).toBeVisible();

  await page.goto("/login?next=%2Fapp%2Fsettings");
  await send(page, "Sign in");
  await expectInvalid(page, "email", "Email is required");
  await fill(page, { email: who.email, password: "not the password" });
  await send(page, "Sign in");
  await expect(page.getByRole("alert").filter({ hasText: /./ })).toBeVisible();
  await expect(page.locator("[name=email]")).toHaveValue(who.email);
  await fill(page, { password: who.password });
  await send(page, "Sign in");
  await expect(page).toHaveURL(/\/app\/settings$/);
  await page.context().clearCookies();

  await page.goto("/forgot-password");
  await fill(page, { email: "nobody" });
  await send(page, "Send reset link");
  await expectInvalid(page, "email", "Invalid email format");
  await fill(page, { email: who.email });
  await send(page, "Send reset link");
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
  await page.goto(await awaitLink(page, who.email, "/reset-password/"));
  await fill(page, { newPassword: "Ever green 2026!", confirmPassword: "Ever green 2027!" });
  await send(page, "Change password");
  await expectInvalid(page, "confirmPassword", "Passwords do not match.");
  await fill(page, { newPassword: "Ever green 2026!", confirmPassword: "Ever green 2026!" });
  await send(page, "Change password");
  await page.getByRole("link", { name: "Back to login" }).click();
  await fill(page, { email: who.email, password: "Ever green 2026!" });
  await send(page, "Sign in");
  await expect(page).toHaveURL(/\/app$/);
});

test("the second step of a sign-in works without scripts and keeps the page to open", async ({ page }) => {
  const who = await fixtures().user();
  const secret = await fixtures().authenticator(who);
  await page.goto("/login?next=%2Fapp%2Fsettings");
  await expect(page.getByRole("button", { name: "Sign in with a passkey" })).toBeHidden();
  await fill(page, { email: who.email, password: who.password });
  await send(page, "Sign in");
  await expect(page).toHaveURL(/\/login\/verify\?next=%2Fapp%2Fsettings$/);
  await expect(page.getByRole("button", { name: "Use a passkey instead" })).toBeHidden();
  await page.getByText("Use a recovery code").click();
  await expect(page.getByText("Enter one of your 12-digit recovery codes in the same field.")).toBeVisible();
  await send(page, "Continue");
  await expectInvalid(page, "code", "Enter the 6 digits from your app");
  await fill(page, { code: "000000" });
  await send(page, "Continue");
  await expectInvalid(page, "code", "That code isn't right.");
  await expect(page.locator("[name=code]")).toHaveValue("");
  await fill(page, { code: appCodeAt(secret, new Date()) });
  await send(page, "Continue");
  await expect(page).toHaveURL(/\/app\/settings$/);
});

test("R-CONT-01, R-CONT-04, R-GEN-06, R-ROUTE-14 the contact form works without scripts and shows errors", async ({
  page,
}) => {
  await page.goto("/contact-us");
  for (const text of ["Mon-Fri 9AM-5PM GMT", "within 24 hours"]) {
    await expect(page.getByRole("main").getByText(text)).toBeVisible();
  }
  await expect(page.locator("[name=email]")).toHaveAttribute("type", "email");
  for (const name of ["name", "email", "subject", "message"]) {
    await expect(page.locator(`[name=${name}]`)).toHaveAttribute("required");
  }
  await fill(page, { name: "Ada", email: "ada@example", message: "Hello." });
  await send(page, "Send message");
  await expectInvalid(page, "email", "Invalid email format");
  await expectInvalid(page, "subject", "Subject is required");
  await expect(page.locator("[name=message]")).toHaveValue("Hello.");
  await fill(page, { email: "ada@example.com", subject: "Hello" });
  await send(page, "Send message");
  await expect(page.getByText("Thank you. Your message has been sent.")).toBeVisible();
});

test("R-AUTH-01, R-LOGIN-06 a login sent before the page's script runs opens the app", async ({ page, browser }) => {
  const who = await fixtures().user();
  await page.goto("/login");
  await fill(page, { email: who.email, password: who.password });
  await send(page, "Sign in");
  await expect(page).toHaveURL(/\/app$/);
  const context = await browser.newContext({
    storageState: await page.context().storageState(),
    javaScriptEnabled: true,
  });
  const scripted = await context.newPage();
  await scripted.goto(page.url());
  await expect(scripted.locator("[data-auth=authenticated]")).toBeAttached();
  expect(await scripted.evaluate(() => localStorage.getItem("accessToken"))).toMatch(/\./);
  await context.close();
});
