import { expect, type Page } from "@playwright/test";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { leaveForGood, letPass, ownClock, stopClock } from "./support/clock.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { awaitLink } from "./support/inbox.ts";
import { login, newPerson, type Person, register } from "./support/person.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const notice = "notice";

test("R-REG-01, R-REG-02, R-REG-04, R-REG-05, R-REG-06, R-REG-08, R-REG-10, R-REG-12, R-ROUTE-02 an empty form names every field, and sends nothing", async ({
  page,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => request.url().includes("/api/users/register") && sent.push(request.url()));
  await page.goto("/register");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId(notice)).toContainText("Please fix the form errors before submitting.");
  for (const text of [
    "Username is required",
    "First name is required",
    "Last name is required",
    "Email is required",
    "Password is required",
    "Please confirm your password",
  ]) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  expect(sent).toEqual([]);
});

test("R-NOTE-01, R-NOTE-02, R-TIME-02 the notice is titled in French and closes after 3 seconds", async ({ page }) => {
  await ownClock(page);
  await page.goto("/register");
  await stopClock(page);
  await page.getByRole("button", { name: "Create account" }).click();
  const shown = page.getByTestId(notice);
  await expect(shown.getByText("Erreur!")).toHaveAttribute("lang", "fr");
  await letPass(page, 2_999);
  await expect(shown).toBeVisible();
  await letPass(page, 1);
  await expect(shown).toBeHidden();
});

const fillRegister = async (page: Page, who: Person) => {
  await page.getByLabel("First name").fill(who.first);
  await page.getByLabel("Last name").fill(who.last);
  await page.getByLabel("Username").fill(who.username);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByLabel("Confirm password").fill(who.password);
};

test("R-REG-14, R-REG-15, R-TIME-03, A-43 success shows the server's message and leads on after 3 seconds, not before, and not when the screen was left", async ({
  page,
}) => {
  await ownClock(page);
  for (const isLeft of [false, true]) {
    await page.goto("/register");
    await expect(page.getByText("you confirm that you are 18 or over")).toBeVisible();
    await fillRegister(page, newPerson());
    await stopClock(page);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByTestId(notice)).toContainText("Registration successful, please verify your email.");
    await expect(page.getByText("Succès!")).toBeVisible();
    await expect(page.getByLabel("Email")).toBeDisabled();
    await letPass(page, 2_999);
    expect(new URL(page.url()).pathname).toBe("/register");
    if (isLeft) {
      await leaveForGood(page);
    } else {
      await letPass(page, 1);
      await page.waitForURL(/\/login$/);
    }
    await page.clock.resume();
  }
});

test("R-REG-16 the server's field errors are joined as 'field: first message'", async ({ page }) => {
  const { who } = await signIn(page);
  await page.context().clearCookies();
  await page.goto("/register");
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await fillRegister(page, who);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId(notice)).toContainText(
    "username: This username is already taken, email: An account with this email already exists",
  );
});

test("R-REG-16, R-ERR-01, R-REG-14, R-ERR-02 without words from the server the literal fallbacks show", async ({
  page,
}) => {
  await page.goto("/register");
  await fillRegister(page, newPerson());
  await page.route("**/api/users/register/", (route) => route.fulfill({ status: 500, body: "" }), { times: 1 });
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId(notice)).toContainText("Registration failed");
  await page.route("**/api/users/register/", (route) => route.fulfill({ status: 201, json: {} }), { times: 1 });
  await page.getByRole("button", { name: "Create account" }).click();
  const words = page.getByTestId(notice).locator("p").last();
  await expect.poll(() => words.evaluate((element) => element.textContent)).toBe(" please verify your email.");
});

test("R-LOGIN-01, R-LOGIN-03, R-ROUTE-03 empty fields send nothing", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => request.url().includes("/api/users/login") && sent.push(request.url()));
  await page.goto("/login");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByTestId(notice)).toContainText("Please fill in all required fields.");
  await page.getByLabel("Email").fill("a@example.com");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByTestId(notice)).toContainText("Please fill in all required fields.");
  expect(sent).toEqual([]);
});

test("R-LOGIN-02, A-44 remember me is there, and the login is the same either way", async ({ page }) => {
  const { who } = await signIn(page);
  const seen: unknown[] = [];
  for (const isRemembered of [false, true]) {
    await page.context().clearCookies();
    await page.goto("/login");
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole("checkbox", { name: /Remember me/ }).setChecked(isRemembered);
    const [request] = await Promise.all([page.waitForRequest("**/api/users/login/"), login(page, who)]);
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name.endsWith("session-token"));
    seen.push({
      body: request.postDataJSON(),
      days: Math.round(((session?.expires ?? 0) - Date.now() / 1_000) / 86_400),
      stored: await page.evaluate(() => Object.keys(localStorage).toSorted()),
    });
  }
  expect(seen[1]).toEqual(seen[0]);
});

test("R-LOGIN-06, R-ERR-03, A-38 a wrong password says so and is no expired session", async ({ page }) => {
  await page.goto("/login");
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByLabel("Password", { exact: true }).fill("wrong horse 1");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByTestId(notice)).toContainText("Invalid email or password.");
  await page.route("**/api/users/login/", (route) => route.fulfill({ status: 502, body: "" }), { times: 1 });
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByTestId(notice)).toContainText("An error occurred");
});

test("R-LOGIN-05, R-LOGIN-07, R-AUTH-01, R-ERR-04, R-ROLE-03 the path that was asked for is remembered through the login", async ({
  page,
}) => {
  const who = newPerson();
  await register(page, who);
  await page.goto("/app/generated-posts?status=draft");
  await page.waitForURL(/\/login/);
  await login(page, who, /\/app\/generated-posts\?.*status=draft/);
  expect(await page.evaluate(() => localStorage.getItem("accessToken"))).toMatch(/^ey/);
});

test("R-LOGIN-08, A-45 a success text in the address is shown as plain text and cleared", async ({ page }) => {
  await holdTimers(page, NOTICE_MS);
  await page.goto("/login?success=%3Cb%3EWell%20done%3C%2Fb%3E");
  await expect(page.getByTestId(notice)).toContainText("<b>Well done</b>");
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

test("A-45, R-LOGIN-07, R-LOGIN-08 hostile texts in the address stay texts, are cut short, and lead nowhere else", async ({
  page,
}) => {
  const who = newPerson();
  await register(page, who);
  await holdTimers(page, NOTICE_MS);
  const hostile = `<img src=x onerror=alert(1)>\u202Egnp.exe\u0000${"a".repeat(5_000)}`;
  const query = new URLSearchParams({
    success: hostile,
    next: "https://evil.example/app",
    from: "//evil.example",
  });
  page.on("dialog", () => expect("a dialog").toBe("never shown"));
  await page.goto(`/login?${query}`);
  const words = page.getByTestId(notice).locator("p").last();
  await expect(words).toContainText("<img src=x onerror=alert(1)>");
  const shown = (await words.textContent()) ?? "";
  expect(shown.length).toBeLessThanOrEqual(200);
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  await expect.poll(() => new URL(page.url()).searchParams.has("success")).toBe(false);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  await expect(page.getByTestId(notice)).toBeHidden();
  await login(page, who);
  expect(new URL(page.url()).host).toBe(new URL(test.info().project.use.baseURL ?? process.env.BASE_URL ?? "").host);
});

test("A-10 the banner sends the verification mail again, at most once a minute", async ({ page }) => {
  test.setTimeout(240_000);
  const { who } = await signIn(page);
  await page.goto("/app");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await awaitLink(page, who.email, "/verify-email/");
  // On a slow machine the first mail may be a minute old by now: then another goes out, and that one is young.
  await expect(async () => {
    await page.getByRole("button", { name: "Send it again" }).click();
    await expect(page.getByText("We sent you a link less than a minute ago.")).toBeVisible();
  }).toPass({ timeout: 60_000 });
});
