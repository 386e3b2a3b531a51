import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emailVerifications, logins, users } from "#db/schema/identity.ts";
import { AppError } from "#lib/core/errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { GUESSABLE_TEXTS } from "#lib/features/identity/guessable.ts";
import { MESSAGES } from "#lib/features/identity/messages.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import {
  registerUser,
  resendVerification,
  sendVerification,
  verifyEmail,
} from "#lib/features/identity/registration.ts";
import { logOut } from "#lib/features/identity/sessions.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { startEmail } from "#sandbox/email/server.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

let database: TestDatabase;
let harness: TestHarness;
let emailServer: Awaited<ReturnType<typeof startEmail>>;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "identity-"));
  database = await createTestDatabase();
  emailServer = await startEmail({ smtpPort: 0, webPort: 0, host: "127.0.0.1", dataDir });
  harness = createTestHarness({
    databaseUrl: database.url,
    storageDir: dataDir,
    smtpUrl: `smtp://127.0.0.1:${emailServer.smtpPort}`,
  });
});

afterAll(async () => {
  await harness.close();
  await emailServer.close();
  await database.close();
});

const visitor = () => contextOf(harness, { kind: "visitor", address: "127.0.0.1" });
const person = (name: string) => ({
  firstName: "Ada",
  lastName: "Moss",
  username: name,
  email: `${name}@example.com`,
  password: "correct horse 1",
});

const emailsTo = async (address: string): Promise<{ links: string[]; subject: string }[]> =>
  (await fetch(`${emailServer.url}/api/messages?to=${encodeURIComponent(address)}`)).json();

describe("registering", () => {
  test("R-REG-13, R-REG-17, A-11 username and email are unique, ignoring case", async () => {
    await registerUser(visitor(), person("unique"));
    const again = registerUser(visitor(), { ...person("UNIQUE"), email: "Unique@Example.com" });
    const error = await again.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: "invalid",
      fields: { username: ["This username is already taken"], email: ["An account with this email already exists"] },
    });
  });

  test("R-REG-17 of twenty concurrent registrations one succeeds", async () => {
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => registerUser(visitor(), person("race"))));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("R-REG-17 refuses common passwords and the user's own words, and stores nothing", async () => {
    for (const [password, text] of [
      ["Letmein2026!", GUESSABLE_TEXTS.common],
      ["Guessable-1!", GUESSABLE_TEXTS.personal("Evertack")],
    ] as const) {
      const registration = registerUser(visitor(), { ...person("guessable"), password });
      await expect(registration).rejects.toMatchObject({ code: "invalid", fields: { password: [text] } });
    }
    expect(await database.db.select().from(users).where(eq(users.usernameKey, "guessable"))).toEqual([]);
  });

  test("stores the password as Argon2id only", async () => {
    await registerUser(visitor(), person("hashed"));
    const [row] = await database.db.select().from(users).where(eq(users.usernameKey, "hashed"));
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
    expect(JSON.stringify(row)).not.toContain("correct horse");
  });

  test("A-10 an unavailable engine does not undo the registration", async () => {
    harness.failNextSend();
    const { userId } = await registerUser(visitor(), person("nomail"));
    expect((await database.db.select().from(users).where(eq(users.id, userId))).length).toBe(1);
  });
});

describe("logging in and out", () => {
  test("R-LOGIN-04 a login is valid for 30 days and ends with its row", async () => {
    const { email } = await createUser(harness);
    const login = await logIn(visitor(), { email: email.toUpperCase(), password: "correct horse 1" });
    expect(await findSessionUser(visitor(), login.loginId)).toMatchObject({ id: login.userId, emailVerified: false });
    await harness.moveClock(30 * DAY_MS);
    expect(await findSessionUser(visitor(), login.loginId)).toBeNull();
    await harness.moveClock(-30 * DAY_MS);
    expect(await findSessionUser(visitor(), login.loginId)).not.toBeNull();
  });

  test("R-NAV-08 logging out ends only this login", async () => {
    const { email } = await createUser(harness);
    const first = await logIn(visitor(), { email, password: "correct horse 1" });
    const second = await logIn(visitor(), { email, password: "correct horse 1" });
    await logOut(contextOf(harness, { kind: "user", userId: first.userId, loginId: first.loginId, address: "" }));
    expect(await findSessionUser(visitor(), first.loginId)).toBeNull();
    expect(await findSessionUser(visitor(), second.loginId)).not.toBeNull();
  });

  test("R-LOGIN-06 a wrong password and an unknown address give the same error and open no login", async () => {
    const { email, userId } = await createUser(harness);
    const answers = await Promise.all(
      [
        { email, password: "wrong horse 1" },
        { email: "nobody@example.com", password: "wrong horse 1" },
      ].map((input) => logIn(visitor(), input).catch((error: AppError) => ({ code: error.code, text: error.message }))),
    );
    expect(answers[0]).toEqual({ code: "wrong_login", text: "Invalid email or password." });
    expect(answers[1]).toEqual(answers[0]);
    expect(await database.db.select().from(logins).where(eq(logins.userId, userId))).toHaveLength(0);
  });
});

describe("the verification email (A-10)", () => {
  const register = async (name: string) => {
    const { userId } = await registerUser(visitor(), person(name));
    const event = harness.sentEvents.findLast((one) => one.name === "identity/verification.requested");
    const requestKey = event?.name === "identity/verification.requested" ? event.data.requestKey : "";
    return { userId, requestKey, email: `${name}@example.com` };
  };
  const tokenOf = async (email: string) => {
    const [message] = await emailsTo(email);
    return message?.links.find((link) => link.includes("/verify-email/"))?.split("/verify-email/")[1] ?? "";
  };

  test("verifies once and stores no plain token", async () => {
    const { userId, requestKey, email } = await register("verify");
    expect(await sendVerification(contextOf(harness, { kind: "job", name: "mail" }), { userId, requestKey })).toBe(
      true,
    );
    const token = await tokenOf(email);
    const rows = await database.db.select().from(emailVerifications).where(eq(emailVerifications.userId, userId));
    expect(JSON.stringify(rows)).not.toContain(token);
    const uses = await Promise.all([verifyEmail(visitor(), { token }), verifyEmail(visitor(), { token })]);
    expect(uses.map(({ kind }) => kind).toSorted()).toEqual(["invalid_link", "verified"]);
    const [user] = await database.db.select().from(users).where(eq(users.id, userId));
    expect(user?.emailVerifiedAt).not.toBeNull();
  });

  test("a repeated step sends the same link", async () => {
    const { userId, requestKey, email } = await register("twice");
    const job = contextOf(harness, { kind: "job", name: "mail" });
    await sendVerification(job, { userId, requestKey });
    await sendVerification(job, { userId, requestKey });
    const links = (await emailsTo(email)).flatMap((message) => message.links);
    expect(links.length).toBeGreaterThanOrEqual(2);
    expect(new Set(links).size).toBe(1);
  });

  test("expired and invented links verify nothing", async () => {
    const { userId, requestKey, email } = await register("late");
    await sendVerification(contextOf(harness, { kind: "job", name: "mail" }), { userId, requestKey });
    const token = await tokenOf(email);
    await harness.moveClock(49 * HOUR_MS);
    expect(await verifyEmail(visitor(), { token })).toEqual({ kind: "invalid_link" });
    await harness.moveClock(-49 * HOUR_MS);
    expect(await verifyEmail(visitor(), { token: "x".repeat(43) })).toEqual({ kind: "invalid_link" });
  });

  test("resends a new link after a minute, and reports the result", async () => {
    const { userId, requestKey, email } = await register("again");
    await sendVerification(contextOf(harness, { kind: "job", name: "mail" }), { userId, requestKey });
    const login = await logIn(visitor(), { email, password: "correct horse 1" });
    const person = contextOf(harness, { kind: "user", userId, loginId: login.loginId, address: "" });
    const requested = () => harness.sentEvents.filter((event) => event.id.startsWith(`verification:${userId}:`)).length;
    expect(await resendVerification(person)).toEqual({ message: MESSAGES.justSent });
    expect(requested()).toBe(1);
    await harness.moveClock(MINUTE_MS + 1_000);
    expect(await resendVerification(person)).toEqual({ message: MESSAGES.sentAgain });
    expect(requested()).toBe(2);
    harness.failNextSend();
    await expect(resendVerification(person)).rejects.toMatchObject({ code: "provider_unavailable" });
    await verifyEmail(visitor(), { token: await tokenOf(email) });
    await expect(resendVerification(person)).rejects.toMatchObject({ code: "wrong_state" });
    await harness.moveClock(-MINUTE_MS - 1_000);
  });
});
