import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { awaitEmail, awaitLink } from "./support/inbox.ts";
import { login, type Person } from "./support/person.ts";
import { signIn } from "./support/quick.ts";
import { expectAccessible } from "./support/screens.ts";
import { dismissNotice } from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

const STRONG = "Ever green 2026!";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

/** Logs the same user in as if from another browser. Returns the access token. */
const logInOnOtherDevice = async (page: Page, who: Person): Promise<string> => {
  const data = { email: who.email, password: who.password };
  const answer = await page.request.post("/api/users/login/", { data, headers: { "user-agent": FIREFOX } });
  const { accessToken } = Object(await answer.json());
  return String(accessToken);
};

const statusWith = async (page: Page, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  // Without the page's cookies, which would stand in for an outdated token.
  return (await fetch(new URL("/api/users/checkAuth/", page.url()), { headers })).status;
};

const openSettings = async (page: Page) => {
  await page.goto("/app/settings");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("R-SET-01, R-SRV-06, R-RPW-02, R-RPW-03, R-ROUTE-29 shows the profile, ends logins, and changes time zone and password", async ({
  page,
}) => {
  const { who, token } = await signIn(page);
  const mine = await page.context().storageState();
  const first = await logInOnOtherDevice(page, who);
  const second = await logInOnOtherDevice(page, who);
  await page.context().addCookies(mine.cookies);
  await openSettings(page);
  const profile = section(page, "Profile");
  for (const value of [who.first, who.last, who.username, who.email]) {
    await expect(profile.getByText(value, { exact: true })).toBeVisible();
  }
  await expect(profile.getByRole("textbox")).toHaveCount(0);

  const logins = section(page, "Devices").getByRole("listitem");
  await expect(logins).toHaveCount(3);
  await expect(logins.first()).toContainText("This device");
  await expect(logins.filter({ hasText: "Firefox on Linux" })).toHaveCount(2);
  await logins
    .filter({ hasText: "Firefox on Linux" })
    .first()
    .getByRole("button", { name: /^Sign out of/ })
    .click();
  await expect(logins).toHaveCount(2);
  const list = section(page, "Devices").getByRole("list");
  await expect(list).toBeFocused();
  const left = [await statusWith(page, first), await statusWith(page, second)];
  expect(left.toSorted()).toEqual([200, 401]);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page, "sign-out-everywhere");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(logins).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Sign out everywhere else" })).toBeFocused();
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await dialog(page).getByRole("button", { name: "Sign out" }).click();
  await expect(logins).toHaveCount(1);
  await expect(list).toBeFocused();
  expect([await statusWith(page, first), await statusWith(page, second)]).toEqual([401, 401]);

  // A fixed time zone overrides the browser's until it is reset.
  const zone = section(page, "Time zone").getByLabel("Time zone");
  const time = section(page, "Devices").locator("time").first();
  const textIn = async (name: string) => formatDateTime((await time.getAttribute("datetime")) ?? "", name);
  await expect(time).toHaveText(await textIn("Asia/Kathmandu"));
  await zone.selectOption("America/New_York");
  await expect(time).toHaveText(await textIn("America/New_York"));
  await openSettings(page);
  await expect(zone).toHaveValue("America/New_York");
  await expect(time).toHaveText(await textIn("America/New_York"));
  await zone.selectOption("");
  await expect(time).toHaveText(await textIn("Asia/Kathmandu"));

  // Changing the password ends the other logins.
  const other = await logInOnOtherDevice(page, who);
  await page.context().addCookies(mine.cookies);
  await page.getByRole("button", { name: "Change password" }).click();
  const form = dialog(page);
  const submit = form.getByRole("button", { name: "Change password" });
  await submit.click();
  await expect(form.getByText("Please ensure your password meets all requirements.", { exact: true })).toBeVisible();
  await form.getByLabel("New password", { exact: true }).fill(STRONG);
  await form.getByLabel("Confirm new password").fill(STRONG);
  await submit.click();
  await expect(page.getByText("Password changed. Signed out of 1 other device.")).toBeVisible();
  await expect(form).toBeHidden();
  // This login stays, with new tokens.
  const renewed = await page.evaluate(() => localStorage.getItem("accessToken") ?? "");
  const tokens = [token, other, renewed].map((one) => statusWith(page, one));
  expect(await Promise.all(tokens)).toEqual([401, 401, 200]);
  await openSettings(page);
  await expect(profile.getByText(who.email, { exact: true })).toBeVisible();
  await awaitEmail(page, who.email, ({ subject }) => /password/i.test(subject));
});

test("A-10 changes the email once the emailed link is used; a pending change can be canceled", async ({ page }) => {
  const { who } = await signIn(page);
  const next = `new.${who.email}`;
  await openSettings(page);
  const requestChange = async () => {
    await page.getByRole("button", { name: "Change email" }).click();
    await dialog(page).getByLabel("New email").fill(next);
    await dialog(page).getByRole("button", { name: "Send link" }).click();
    await expect(section(page, "Email").getByText(next)).toBeVisible();
  };
  await requestChange();
  await page.getByRole("button", { name: "Cancel change" }).click();
  await expect(section(page, "Email").getByText(next)).toBeHidden();
  const canceled = await awaitLink(page, next, "/change-email/");
  await page.goto(canceled);
  await page.getByRole("button", { name: "Use this email" }).click();
  await expect(page.getByRole("heading", { name: "This link is no longer valid" })).toBeFocused();

  await openSettings(page);
  await requestChange();
  const email = await awaitEmail(page, next, ({ links }) =>
    links.some((link) => link.includes("/change-email/") && !link.endsWith(canceled)),
  );
  await page.goto(new URL(email.links.find((link) => link.includes("/change-email/")) ?? "").pathname);
  await page.getByRole("button", { name: "Use this email" }).click();
  await expect(page.getByRole("heading", { name: "Your email has been changed" })).toBeFocused();
  // The old address was never confirmed, so it may be a stranger's: the notice doesn't name the new one.
  const notice = await awaitEmail(page, who.email, ({ subject }) => subject.endsWith("email was changed"));
  expect(`${notice.text}${notice.html}`).not.toContain(next);
  await openSettings(page);
  await expect(section(page, "Profile").getByText(next)).toBeVisible();
});

test("R-ROLE-04 exports the data as a file and deletes the account", async ({ page }) => {
  await holdTimers(page, NOTICE_MS);
  const { who, token } = await signIn(page);
  await openSettings(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download my data" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  expect(JSON.stringify(JSON.parse(text))).toContain(who.email);
  expect(text).not.toContain("argon2");

  await page.getByRole("button", { name: "Delete account" }).click();
  const remove = dialog(page).getByRole("button", { name: "Delete my account" });
  await page.evaluate(() => {
    sessionStorage.setItem("keptKeywords", "?keyword=moss");
    localStorage.setItem("bulkDraft", "{}");
  });
  await remove.click();
  await page.waitForURL(/\/login/);
  const left = () => page.evaluate(() => [sessionStorage.getItem("keptKeywords"), localStorage.getItem("bulkDraft")]);
  expect(await left()).toEqual([null, null]);
  await dismissNotice(page, "deleted");
  await expect.poll(() => new URL(page.url()).search).toBe("");
  expect(await statusWith(page, token)).toBe(401);
  await login(page, who, /\/login/);
  await dismissNotice(page, "Invalid email or password.");
});
