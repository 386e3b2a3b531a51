import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { appCodeAt } from "#tests/support/app-codes.ts";
import type { Person } from "./support/person.ts";
import { signInConfirmed } from "./support/quick.ts";
import { checkAppearances } from "./support/screens.ts";
import { test } from "./support/test.ts";

const STEP_MS = 30_000;

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

const openSettings = async (page: Page) => {
  await page.goto("/app/settings");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

const forgetSession = async (page: Page) => {
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
};

/** The first step on the login page. */
const sendPassword = async (page: Page, who: Person) => {
  await page.goto("/login?next=%2Fapp%2Fsettings");
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/login\/verify\?next=%2Fapp%2Fsettings$/);
};

const sendCode = async (page: Page, code: string) => {
  await page.getByLabel("Code").fill(code);
  await page.getByRole("button", { name: "Continue" }).click();
};

test("codes: set up, sign in with a code and with a recovery code, turn off", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const { who } = await signInConfirmed(page);
  await openSettings(page);
  const twoStep = section(page, "Two-step sign-in");
  await twoStep.getByRole("button", { name: "Set up" }).click();
  await expect(dialog(page).getByRole("img", { name: /QR code/ })).toBeVisible();
  await checkAppearances(page, "two-step-setup");
  const secret = (await dialog(page).locator("[data-slot=setup-key]").textContent()) ?? "";
  const code = dialog(page).getByLabel("Code from your app");
  await code.fill("000000");
  await dialog(page).getByRole("button", { name: "Turn on" }).click();
  await expect(code).toHaveAttribute("aria-invalid", "true");
  await code.fill(appCodeAt(secret, new Date()));
  await dialog(page).getByRole("button", { name: "Turn on" }).click();
  const codes = dialog(page).getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  await checkAppearances(page, "recovery-codes");
  const recovery = await codes.allTextContents();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog(page).getByRole("button", { name: "Download" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toBe(`${recovery.join("\n")}\n`);
  await dialog(page).getByRole("button", { name: "I've saved them" }).click();
  await expect(twoStep.getByText("10 of 10 recovery codes left.")).toBeVisible();

  await forgetSession(page);
  await sendPassword(page, who);
  await checkAppearances(page, "login-verify");
  await sendCode(page, "000000");
  await expect(page.getByLabel("Code")).toHaveAccessibleDescription(/That code isn't right\./);
  await expect(page.getByLabel("Code")).toBeFocused();
  // Setting up used the current code; the next one is accepted early.
  await sendCode(page, appCodeAt(secret, new Date(Date.now() + STEP_MS)));
  await page.waitForURL(/\/app\/settings$/);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached();

  await forgetSession(page);
  await sendPassword(page, who);
  await sendCode(page, recovery[0] ?? "");
  await page.waitForURL(/\/app\/settings$/);
  await expect(twoStep.getByText("9 of 10 recovery codes left.")).toBeVisible();
  await twoStep.getByRole("button", { name: "Turn off" }).click();
  await dialog(page).getByRole("button", { name: "Turn off" }).click();
  await expect(twoStep.getByRole("button", { name: "Set up" })).toBeVisible();
});

test("passkeys: add, sign in by button and from the email field, rename, remove", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  await signInConfirmed(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const confirmPresence = (enabled: boolean) =>
    cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });

  await openSettings(page);
  const passkeys = section(page, "Passkeys");
  const rows = passkeys.getByRole("listitem");
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  await expect(dialog(page).getByLabel("Name")).toHaveValue("Chrome on Linux");
  await dialog(page).getByRole("button", { name: "Create passkey" }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("not used yet");
  await checkAppearances(page, "passkeys");
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  await dialog(page).getByRole("button", { name: "Create passkey" }).click();
  await expect(dialog(page).getByText("This device already has a passkey for your account.")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();

  // The offer in the email field waits until the user confirms.
  await confirmPresence(false);
  await forgetSession(page);
  await page.goto("/login?next=%2Fapp%2Fsettings");
  await confirmPresence(true);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(/\/app\/settings$/);
  await expect(rows).toContainText("last used");
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toMatch(/\./);

  // The offer in the email field, picked at once by the simulated user.
  await forgetSession(page);
  await page.goto("/login?next=%2Fapp%2Fsettings");
  await page.waitForURL(/\/app\/settings$/);

  await passkeys.getByRole("button", { name: /^Rename/ }).click();
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("Work laptop");
  await dialog(page).getByRole("button", { name: "Rename" }).click();
  await expect(rows).toContainText("Work laptop");
  await passkeys.getByRole("button", { name: /^Remove/ }).click();
  await dialog(page).getByRole("button", { name: "Remove" }).click();
  await expect(rows).toHaveCount(0);
  await expect(passkeys.getByRole("button", { name: "Add a passkey" })).toBeFocused();

  await forgetSession(page);
  await page.goto("/login");
  await expect(page.getByTestId("notice")).toContainText("We couldn't sign you in with this passkey.");
});
