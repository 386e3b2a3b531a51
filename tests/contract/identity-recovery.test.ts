import { describe, expect, inject, test, vi } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";
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

// Emails are sent by a durable function, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const database = databaseAt(() => inject("app").databaseUrl);
const RESET = "/api/users/password-reset/";
const CONFIRM = "/api/users/password-reset-confirm/";
const CONTACT = "/api/users/contact/";
const EXPORT = "/api/users/export/";
const NEW_PASSWORD = "Fresh-Moss-42!";
const caller = { callApp };

interface Caught {
  subject: string;
  replyTo: string;
  text: string;
  links: string[];
}

const emailsTo = async (address: string): Promise<Caught[]> =>
  (await fetch(`${inject("app").inboxUrl}/api/messages?to=${encodeURIComponent(address)}`)).json();
/** Emails are sent by a durable function. */
const untilEmail = (address: string, subject: string): Promise<Caught> =>
  until(async () => (await emailsTo(address)).find((message) => message.subject.includes(subject)), {
    what: `the email "${subject}"`,
    deadlineMs: 60_000,
  });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  callApp(path, { method: "POST", body, headers });
const meBy = async (headers: Record<string, string>) => (await callApp("/api/users/me/", { headers })).status;

describe("R-API-20 R-API-21 password recovery", () => {
  test("R-FPW-02 R-RPW-05 R-RPW-09 R-ENT-15 resets the password with an emailed link once and ends every login", async () => {
    const { person, token, cookie } = await openSession(caller);
    const requested = await post(RESET, { email: ` ${person.email.toUpperCase()}` });
    const text = `If an account exists with ${person.email.toUpperCase()}, you will receive password reset instructions.`;
    expect([requested.status, requested.json]).toEqual([200, { message: text }]);
    const message = await untilEmail(person.email, "Reset your");
    const [link = ""] = message.links;
    expect(link).toMatch(new RegExp(`^${inject("app").baseUrl}/reset-password/[\\w-]{43}$`));
    const linkToken = link.split("/").at(-1);
    const done = await post(CONFIRM, { token: linkToken, new_password: NEW_PASSWORD });
    expect([done.status, done.json]).toEqual([200, { message: "Your password has been reset. Please sign in." }]);
    expect([await meBy(bearer(token)), await meBy({ cookie })]).toEqual([401, 401]);
    const again = await post(CONFIRM, { token: linkToken, new_password: NEW_PASSWORD });
    const expired = "Unable to reset password. The link may have expired.";
    expect([again.status, again.json]).toEqual([400, errorBody("invalid", expired)]);
    const old = await post("/api/users/login/", { email: person.email, password: person.password });
    expect(old.status).toBe(401);
    expect((await logIn(caller, { ...person, password: NEW_PASSWORD })).token).not.toBe("");
    await untilEmail(person.email, "password was changed");
  });

  test("R-FPW-04 known and unknown addresses get identical responses, headers included", async () => {
    const person = newPerson();
    await register(caller, person);
    const [known, unknown] = [
      await post(RESET, { email: person.email }),
      await post(RESET, { email: `x${person.email}` }),
    ];
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(known.text.replace(person.email, "")).toBe(unknown.text.replace(`x${person.email}`, ""));
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    await untilEmail(person.email, "Reset your");
    expect(await emailsTo(`x${person.email}`)).toEqual([]);
  });

  test.each([
    [{}, "Email is required"],
    [{ email: "  " }, "Email is required"],
    [{ email: ["a@example.com"] }, "Email is required"],
    [{ email: "nobody" }, "Invalid email format"],
    [{ email: "a@example.com\r\nBcc: b@example.com" }, "Invalid email format"],
    [{ email: "<script>alert(1)</script>@example.com" }, "Invalid email format"],
    [{ email: `${"e".repeat(250)}@example.com` }, "Invalid email format"],
  ])("R-FPW-01 %j is 400, read from `error`", async (body, text) => {
    const answer = await post(RESET, body);
    expect([answer.status, answer.json]).toEqual([400, { ...errorBody("invalid", text), fields: { email: [text] } }]);
  });

  test.each([
    "Sh0rt!A",
    "alllowercase1!",
    "ALLUPPERCASE1!",
    "NoDigitsHere!",
    "NoSpecial123",
    "",
    `Aa1!${"x".repeat(200)}`,
    "Aa1_-=+;'",
  ])("R-RPW-02 R-RPW-03 rejects the password %j before checking the token", async (new_password) => {
    const answer = await post(CONFIRM, { token: "t".repeat(43), new_password });
    const text = "Please ensure your password meets all requirements.";
    expect([answer.status, answer.json]).toEqual([
      400,
      { ...errorBody("invalid", text), fields: { new_password: [text] } },
    ]);
  });

  test("R-RPW-02 accepts each special character and a length of eight", async () => {
    for (const special of '!@#$%^&*(),.?":{}|<>') {
      const answer = await post(CONFIRM, { token: "t".repeat(43), new_password: `Abcdef1${special}` });
      expect([special, Object(answer.json).error]).toEqual([
        special,
        "Unable to reset password. The link may have expired.",
      ]);
    }
  });
});

describe("R-API-19 contact", () => {
  const good = () => ({
    name: "Ada Moss",
    email: newPerson().email,
    subject: "A question",
    message: "Hello.\nIs it <b>?",
  });

  test("R-CONT-03 R-ENT-14 responds with exactly {success, message, errors}; emails support with reply-to, and an acknowledgment to the sender", async () => {
    const body = good();
    const answer = await post(CONTACT, body);
    expect([answer.status, answer.json]).toEqual([200, { success: true, message: expect.any(String), errors: {} }]);
    await untilEmail(body.email, "We received your message");
    // It may go to anybody's address, so it quotes nothing.
    const [receipt] = await emailsTo(body.email);
    expect(receipt?.text).toContain("Thanks for getting in touch");
    expect(receipt?.text).not.toMatch(/Ada Moss|A question|Is it/);
    const support = inject("app").env.SUPPORT_EMAIL ?? "support@example.com";
    const mine = async () => (await emailsTo(support)).filter(({ replyTo }) => replyTo.includes(body.email));
    const [message] = await until(async () => ((await mine()).length > 0 ? mine() : undefined), {
      what: "support's email",
    });
    expect(message?.text).toContain(body.message);
    expect([(await mine()).length, (await emailsTo(body.email)).length]).toEqual([1, 1]);
  });

  test("R-CONT-04 responds with one text per field; other failures have the same three keys", async () => {
    const empty = await post(CONTACT, {});
    expect([empty.status, empty.json]).toEqual([
      400,
      {
        success: false,
        message: "Please fix the form errors before submitting.",
        errors: {
          name: "Name is required",
          email: "Email is required",
          subject: "Subject is required",
          message: "Message is required",
        },
      },
    ]);
    const failures: [unknown, number][] = [
      ["{", 400],
      ["[]", 400],
      [{ ...good(), message: "x".repeat(1_000_000) }, 413],
      [{ ...good(), name: "x".repeat(30_000) }, 400],
    ];
    for (const [body, status] of failures) {
      const answer = await post(CONTACT, body);
      expect(answer.status).toBe(status);
      expect(answer.json).toEqual({ success: false, message: expect.any(String), errors: expect.any(Object) });
    }
    const bytes = await fetch(`${inject("app").baseUrl}${CONTACT}`, {
      method: "POST",
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect([bytes.status, await bytes.json()]).toMatchObject([400, { success: false, errors: {} }]);
  });

  test("R-ROLE-01 R-CONT-03 needs no login and ignores one: a cookie without CSRF header does not matter", async () => {
    const { cookie } = await openSession(caller);
    expect((await post(CONTACT, good(), { cookie })).status).toBe(200);
  });
});

describe("the data export", () => {
  test("is a JSON download that requires a login, by token or cookie", async () => {
    const { person, token, cookie } = await openSession(caller);
    for (const headers of [bearer(token), { cookie }]) {
      const answer = await callApp(EXPORT, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toMatch(
        /^attachment; filename="evertack-data-\d{4}-\d\d-\d\d\.json"$/,
      );
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.json).toMatchObject({ user: { email: person.email }, logins: [{}], pins: [] });
    }
    expect((await callApp(EXPORT)).status).toBe(401);
  });
});

describe("the device of a login", () => {
  test("the documented login stores the browser's name but no address", async () => {
    const person = newPerson();
    await register(caller, person);
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";
    const { email, password } = person;
    const login = await post("/api/users/login/", { email, password }, { "user-agent": userAgent });
    expect(await meBy({ cookie: sessionCookieIn(login.headers) })).toBe(200);
    const rows = await database()`select l.* from logins l join users u on u.id = l.user_id where u.email = ${email}`;
    expect(rows).toMatchObject([{ device: "Firefox on Linux", last_used_at: expect.any(Date) }]);
    expect(JSON.stringify(rows)).not.toMatch(/Mozilla|127\.0\.0\.1|::1/);
  });
});

describe("R-SRV-09 at the published limits", () => {
  const app = appForFile({ RATE_LIMIT_FACTOR: "1", TRUSTED_PROXIES: "1" });
  const from = (address: string) => ({ "x-forwarded-for": address });
  const send = (path: string, body: unknown, address: string) =>
    app().callApp(path, { method: "POST", body, headers: from(address) });

  test("R-SRV-09 allows five resets per account and address and ten per address; other addresses are not affected", async () => {
    const email = newPerson().email;
    for (let i = 0; i < 5; i++) expect((await send(RESET, { email }, "203.0.113.1")).status).toBe(200);
    const sixth = await send(RESET, { email: email.toUpperCase() }, "203.0.113.1");
    expect([sixth.status, sixth.json]).toEqual([429, errorBody("too_many")]);
    expect(sixth.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await send(RESET, { email }, "203.0.113.2")).status).toBe(200);
    for (let i = 0; i < 4; i++)
      expect((await send(RESET, { email: newPerson().email }, "203.0.113.1")).status).toBe(200);
    expect((await send(RESET, { email: newPerson().email }, "203.0.113.1")).status).toBe(429);
  });

  test("R-SRV-09 allows twenty attempts an hour with invalid links", async () => {
    const body = { token: "t".repeat(43), new_password: NEW_PASSWORD };
    for (let i = 0; i < 20; i++) expect((await send(CONFIRM, body, "203.0.113.3")).status).toBe(400);
    expect((await send(CONFIRM, body, "203.0.113.3")).status).toBe(429);
  });

  test("R-SRV-09 allows five messages an hour, not counting incomplete ones", async () => {
    const body = { name: "Ada", email: newPerson().email, subject: "S", message: "M" };
    for (let i = 0; i < 6; i++) expect((await send(CONTACT, {}, "203.0.113.4")).status).toBe(400);
    for (let i = 0; i < 5; i++) expect((await send(CONTACT, body, "203.0.113.4")).status).toBe(200);
    const sixth = await send(CONTACT, body, "203.0.113.4");
    expect([sixth.status, sixth.json]).toEqual([429, { success: false, message: expect.any(String), errors: {} }]);
    expect((await send(CONTACT, body, "203.0.113.5")).status).toBe(200);
  });
});
