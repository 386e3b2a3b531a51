import { expect, test } from "@playwright/test";
import { login, newPerson, register } from "./support/person.ts";
import { signIn } from "./support/quick.ts";

const notice = "notice";

test("R-REG-01, R-REG-02, R-REG-04, R-REG-05, R-REG-06, R-REG-08, R-REG-10, R-REG-12, R-ROUTE-02 an empty form names every field, and sends nothing", async ({
  page,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => request.url().includes("/api/users/register") && sent.push(request.url()));
  await page.goto("/register");
  await page.getByRole("button", { name: "Create account" }).click();
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
  await expect(page.getByTestId(notice)).toContainText("Please fix the form errors before submitting.");
  expect(sent).toEqual([]);
});

test("R-NOTE-01, R-NOTE-02, R-TIME-02 the notice is titled in French and closes after 3 seconds", async ({ page }) => {
  await page.clock.install();
  await page.goto("/register");
  await page.getByRole("button", { name: "Create account" }).click();
  const shown = page.getByTestId(notice);
  await expect(shown.getByText("Erreur!")).toHaveAttribute("lang", "fr");
  await page.clock.runFor(2_900);
  await expect(shown).toBeVisible();
  await page.clock.runFor(200);
  await expect(shown).toBeHidden();
});

test("R-REG-14, R-REG-15, R-TIME-03 success shows the server's message and leads on after 3 seconds, not before", async ({
  page,
}) => {
  await page.clock.install();
  await page.goto("/register");
  const who = newPerson();
  await page.getByLabel("First name").fill(who.first);
  await page.getByLabel("Last name").fill(who.last);
  await page.getByLabel("Username").fill(who.username);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByLabel("Confirm password").fill(who.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId(notice)).toContainText("Registration successful, please verify your email.");
  await expect(page.getByText("Succès!")).toBeVisible();
  await page.clock.runFor(2_800);
  expect(new URL(page.url()).pathname).toBe("/register");
  await page.clock.runFor(400);
  await page.waitForURL(/\/login/);
});

test("R-REG-16 the server's field errors are joined as 'field: first message'", async ({ page }) => {
  const { who } = await signIn(page);
  await page.context().clearCookies();
  await page.goto("/register");
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  for (const [label, value] of [
    ["First name", who.first],
    ["Last name", who.last],
    ["Username", who.username],
    ["Email", who.email],
    ["Confirm password", who.password],
  ] as const) {
    await page.getByLabel(label).fill(value);
  }
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByTestId(notice)).toContainText(
    "username: This username is already taken, email: An account with this email already exists",
  );
});

test("R-REG-16, R-ERR-01, R-REG-14, R-ERR-02 without words from the server the literal fallbacks show", async ({
  page,
}) => {
  await page.goto("/register");
  const who = newPerson();
  await page.getByLabel("First name").fill(who.first);
  await page.getByLabel("Last name").fill(who.last);
  await page.getByLabel("Username").fill(who.username);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByLabel("Confirm password").fill(who.password);
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
  await page.goto("/login?success=%3Cb%3EWell%20done%3C%2Fb%3E");
  await expect(page.getByTestId(notice)).toContainText("<b>Well done</b>");
  await expect.poll(() => new URL(page.url()).search).toBe("");
});
