import { randomBytes } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import {
  appForFile,
  bearer,
  errorBody,
  logIn,
  newPerson,
  openSession,
  register,
  sessionCookieIn,
} from "./wire-harness.ts";

const REGISTER = "/api/users/register/";
const LOGIN = "/api/users/login/";
const caller = { callApp };

const meBy = (headers: Record<string, string>) => callApp("/api/users/me/", { headers });

describe("R-API-01 POST /api/users/register/", () => {
  test("R-REG-13 R-API-01 A-10 responds with 201 and exactly the message", async () => {
    const answer = await register(caller, newPerson());
    expect([answer.status, answer.json]).toEqual([
      201,
      { message: "Registration successful, please verify your email." },
    ]);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("R-REG-02 R-REG-04 R-REG-05 R-REG-06 R-REG-08 R-REG-10 R-REG-17 empty fields respond with exactly {field: [text]}", async () => {
    const answer = await callApp(REGISTER, { method: "POST", body: {} });
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        first_name: ["First name is required"],
        last_name: ["Last name is required"],
        username: ["Username is required"],
        email: ["Email is required"],
        password: ["Password is required"],
        confirmPassword: ["Please confirm your password"],
      },
    ]);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test.each([
    ["R-REG-03", { username: "ab" }, { username: ["Username must be at least 3 characters"] }],
    ["R-REG-02", { username: "   " }, { username: ["Username is required"] }],
    ["R-REG-07", { email: "nobody" }, { email: ["Invalid email format"] }],
    ["R-REG-07", { email: "a@b" }, { email: ["Invalid email format"] }],
    ["R-REG-07", { email: "a b@example.com" }, { email: ["Invalid email format"] }],
    [
      "R-REG-09",
      { password: "1234567", confirmPassword: "1234567" },
      { password: ["Password must be at least 8 characters"] },
    ],
    ["R-REG-11", { confirmPassword: "another one" }, { confirmPassword: ["Passwords do not match"] }],
    ["R-REG-17", { username: 7 }, { username: ["Username is required"] }],
    ["R-REG-17", { email: { $gt: "" } }, { email: ["Email is required"] }],
    [
      "R-REG-17",
      { password: ["12345678"], confirmPassword: ["12345678"] },
      { password: ["Password is required"], confirmPassword: ["Please confirm your password"] },
    ],
  ])("%s %j is rejected with %j", async (_, wrong, fields) => {
    const person = newPerson();
    const body = { ...person, confirmPassword: person.password, ...wrong };
    const answer = await callApp(REGISTER, { method: "POST", body });
    expect([answer.status, answer.json]).toEqual([400, fields]);
    const login = await callApp(LOGIN, { method: "POST", body: { email: person.email, password: person.password } });
    expect(login.status).toBe(401);
  });

  test("R-REG-09, A-12 eight characters pass, without other rules", async () => {
    expect((await register(caller, { ...newPerson(), password: "hjkwqzxv" })).status).toBe(201);
  });

  test("R-REG-17 common passwords and the user's own words are refused at the field", async () => {
    const person = newPerson();
    const common = await register(caller, { ...person, password: "Password2026!" });
    expect([common.status, common.json]).toEqual([400, { password: [expect.stringContaining("attackers try")] }]);
    const own = await register(caller, { ...person, password: `${person.username.toUpperCase()}x!` });
    expect([own.status, own.json]).toEqual([400, { password: [expect.stringContaining("mostly your name")] }]);
    expect((await register(caller, person)).status).toBe(201);
  });

  test("R-REG-17 A-11 rejects a taken username and email, ignoring case and Unicode form", async () => {
    const person = newPerson();
    await register(caller, person);
    const shouted = { ...person, username: person.username.toUpperCase(), email: person.email.toUpperCase() };
    const wide = { ...newPerson(), username: person.username.replace("w", "ｗ") };
    expect((await register(caller, shouted)).json).toEqual({
      username: ["This username is already taken"],
      email: ["An account with this email already exists"],
    });
    expect((await register(caller, wide)).json).toEqual({ username: ["This username is already taken"] });
  });
});

describe("R-API-02 POST /api/users/login/", () => {
  test("R-LOGIN-04 R-API-02 R-ENT-02 responds with exactly accessToken and the cookies of the same login", async () => {
    const person = newPerson();
    await register(caller, person);
    const { email, password } = person;
    const answer = await callApp(LOGIN, { method: "POST", body: { email: ` ${email.toUpperCase()} `, password } });
    expect([answer.status, answer.json]).toEqual([200, { accessToken: expect.stringMatching(/^[\w-]+\.[\w.-]+$/) }]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^next-auth\.session-token=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
      expect.stringMatching(/^csrftoken=[\w-]+; Path=\/; SameSite=Lax; Max-Age=31536000$/),
      expect.stringMatching(/^known_browser=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/),
    ]);
    const { accessToken } = Object(answer.json);
    expect((await meBy(bearer(accessToken))).status).toBe(200);
    expect((await meBy({ cookie: sessionCookieIn(answer.headers) })).status).toBe(200);
  });

  test("R-LOGIN-06 a wrong password and an unknown address are the same 401", async () => {
    const person = newPerson();
    await register(caller, person);
    const attempts = [
      { email: person.email, password: "not the password" },
      { email: `nobody-${person.email}`, password: "not the password" },
    ];
    const [known, unknown] = await Promise.all(attempts.map((body) => callApp(LOGIN, { method: "POST", body })));
    expect([known?.status, known?.json]).toEqual([401, errorBody("wrong_login", "Invalid email or password.")]);
    expect([unknown?.status, unknown?.json]).toEqual([401, errorBody("wrong_login", "Invalid email or password.")]);
    const names = (answer: typeof known) => [...(answer?.headers.keys() ?? [])];
    expect(names(known)).toEqual(names(unknown));
    expect(known?.headers.get("set-cookie")).toBeNull();
  });

  test.each([
    [{}, { email: ["Email is required"], password: ["Password is required"] }],
    [
      { email: "  ", password: "" },
      { email: ["Email is required"], password: ["Password is required"] },
    ],
    [
      { email: "\u0000", password: "\u0000" },
      { email: ["Email is required"], password: ["Password is required"] },
    ],
    [
      { email: ["a"], password: { length: 8 } },
      { email: ["Email is required"], password: ["Password is required"] },
    ],
    [{ email: "e".repeat(255), password: "x" }, { email: ["Email is too long"] }],
    [{ email: "a@example.com", password: "p".repeat(201) }, { password: ["Password is too long"] }],
  ])("R-LOGIN-06 %j is 400 with exactly {field: [text]}", async (body, fields) => {
    const answer = await callApp(LOGIN, { method: "POST", body });
    expect([answer.status, answer.json]).toEqual([400, fields]);
  });

  test("a NUL in email or password is removed on registration and login", async () => {
    const person = newPerson();
    const typed = { ...person, email: `\u0000${person.email}`, password: `${person.password}\u0000` };
    expect((await register(caller, typed)).status).toBe(201);
    for (const known of [person, typed]) expect((await logIn(caller, known)).token).not.toBe("");
  });
});

describe("a login's lifetime", () => {
  test("R-API-14 R-ENT-01 GET /me has exactly these keys; R-API-03 checkAuth returns the same user", async () => {
    const { token, person } = await openSession(caller);
    const user = {
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      first_name: person.first_name,
      last_name: person.last_name,
      email: person.email,
      username: person.username,
      email_verified: false,
      plan: "free",
    };
    const me = await meBy(bearer(token));
    expect([me.status, me.json]).toEqual([200, user]);
    const checked = await callApp("/api/users/checkAuth/", { headers: bearer(token) });
    expect([checked.status, checked.json]).toEqual([200, { authenticated: true, user }]);
  });

  test("R-NAV-08 logout ends the token and cookie of this login only", async () => {
    const { token, cookie, person } = await openSession(caller);
    const elsewhere = await logIn(caller, person);
    expect(elsewhere.token).not.toBe(token);
    // Both tokens were just used and are cached; logging out must still take effect immediately.
    for (const headers of [bearer(token), { cookie }]) expect((await meBy(headers)).status).toBe(200);
    const answer = await callApp("/api/auth/logout/", { method: "POST", headers: bearer(token) });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers.getSetCookie()).toEqual([
      "next-auth.session-token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
    ]);
    for (const headers of [bearer(token), { cookie }]) expect((await meBy(headers)).status).toBe(401);
    for (const headers of [bearer(elsewhere.token), { cookie: elsewhere.cookie }]) {
      expect((await meBy(headers)).status).toBe(200);
    }
    expect((await callApp("/api/auth/logout/", { method: "POST", headers: bearer(token) })).status).toBe(204);
  });

  test("exchanges a valid token for the cookie of the same login", async () => {
    const { token } = await openSession(caller);
    const exchanged = await callApp("/api/auth/exchange/", { method: "POST", headers: bearer(token) });
    const cookie = sessionCookieIn(exchanged.headers);
    expect(exchanged.status).toBe(204);
    expect((await meBy({ cookie })).status).toBe(200);
    await callApp("/api/auth/logout/", { method: "POST", headers: bearer(token) });
    expect((await meBy({ cookie })).status).toBe(401);
    const again = await callApp("/api/auth/exchange/", { method: "POST", headers: bearer(token) });
    expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
  });

  test("R-LOGIN-06 exchanges a session cookie for its access token only with the CSRF header and our origin", async () => {
    const { cookie, token } = await openSession(caller);
    const csrf = "0".repeat(43);
    const headers = { cookie: `${cookie}; csrftoken=${csrf}`, origin: inject("app").baseUrl };
    const put = (more: object) => callApp("/api/auth/exchange/", { method: "PUT", headers: { ...headers, ...more } });
    expect((await put({})).status).toBe(403);
    expect((await put({ "x-csrftoken": csrf, origin: "https://elsewhere.example" })).status).toBe(403);
    const taken = await put({ "x-csrftoken": csrf });
    const { accessToken } = taken.json as { accessToken: string };
    expect([taken.status, (await meBy(bearer(accessToken))).status]).toEqual([200, 200]);
    await callApp("/api/auth/logout/", { method: "POST", headers: bearer(token) });
    expect([(await meBy(bearer(accessToken))).status, (await put({ "x-csrftoken": csrf })).status]).toEqual([401, 401]);
  });

  test("A-10 sends the verification email; another request within a minute is refused", async () => {
    const { token, person } = await openSession(caller);
    const box = `${inject("app").inboxUrl}/api/messages?to=${encodeURIComponent(person.email)}`;
    const emails = async (): Promise<unknown[]> => (await fetch(box)).json();
    await until(async () => (await emails()).length >= 1, { deadlineMs: 60_000, what: "the first email" });
    const answer = await callApp("/api/users/verify-email/resend/", { method: "POST", headers: bearer(token) });
    expect([answer.status, answer.json]).toEqual([
      200,
      { message: "We sent you a link less than a minute ago. Please check your inbox." },
    ]);
  });
});

describe("behind TLS", () => {
  const app = appForFile({ APP_URL: "https://pins.example.test", ALLOW_SANDBOX: "1" });

  test("the component showcase is not found in production", async () => {
    expect((await app().callApp("/dev/ui")).status).toBe(404);
  });

  test("cookies are Secure on https and work under next-auth's name", async () => {
    const person = { ...newPerson(), email: `${randomBytes(6).toString("hex")}@example.com` };
    expect((await register(app(), person)).status).toBe(201);
    const { email, password } = person;
    const login = await app().callApp(LOGIN, { method: "POST", body: { email, password } });
    const [cookie = "", csrf] = login.headers.getSetCookie();
    expect(csrf).toMatch(/^csrftoken=.*; Secure$/);
    expect(cookie).toMatch(/^__Secure-next-auth\.session-token=.*; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/);
    const pair = cookie.split(";")[0] ?? "";
    expect((await app().callApp("/api/users/me/", { headers: { cookie: pair } })).status).toBe(200);
  });
});
