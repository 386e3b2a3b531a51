import { describe, expect, inject, test } from "vitest";
import { plainCode } from "#lib/features/sign-in/policy.ts";
import { appCodeAt } from "#tests/support/app-codes.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { softPasskey } from "#tests/support/passkey.ts";
import { act as actOn } from "./wire-act.ts";
import { databaseAt } from "./wire-database.ts";
import { bearer, errorBody, openSession, type Session, sessionCookieIn } from "./wire-harness.ts";

const LOGIN = "/api/users/login/";
const VERIFY = "/api/users/login/verify/";
const OPTIONS = "/api/auth/passkey/options/";
const PASSKEY = "/api/auth/passkey/";

const ours = () => inject("app").baseUrl;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  callApp(path, { method: "POST", body, headers });
const act = async (name: string, argument: unknown, { cookie }: Pick<Session, "cookie">) =>
  (await actOn({ callApp }, name, argument, { cookie, origin: ours() })).result;

interface Guarded extends Session {
  recovery: string[];
}

const database = databaseAt(() => inject("app").databaseUrl);

/** With a confirmed email address, as adding a way to sign in needs. */
const confirmedSession = async (): Promise<Session> => {
  const session = await openSession({ callApp });
  await database()`update users set email_verified_at = now() where email = ${session.person.email}`;
  return session;
};

/** A user with codes; the tests use recovery codes, because the app's would have to wait for the next half minute. */
const guarded = async (): Promise<Guarded> => {
  const session = await confirmedSession();
  const started = await act("setUpAuthenticatorAction", {}, session);
  const code = appCodeAt(started.value.secret, new Date());
  const enabled = await act("enableAuthenticatorAction", { code }, session);
  return { ...session, recovery: enabled.value.recoveryCodes };
};

const begin = ({ person }: Session) => post(LOGIN, { email: person.email, password: person.password });
const cookieIn = (headers: Headers, name: string): string =>
  headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`)) ?? "";

describe("a login with a second step", () => {
  test("answers 401 with a challenge in the body and in a cookie, and opens no login", async () => {
    const session = await guarded();
    const answer = await begin(session);
    expect([answer.status, answer.json]).toEqual([
      401,
      {
        ...errorBody("second_step_required", "Enter the code from your authenticator app to finish signing in."),
        challenge: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    const { challenge } = Object(answer.json);
    expect(cookieIn(answer.headers, "second_step")).toBe(
      `second_step=${challenge}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600`,
    );
    expect(sessionCookieIn(answer.headers)).toBe("");
  });

  test("the challenge in the body and a code answer as the login does", async () => {
    const session = await guarded();
    const { challenge } = Object((await begin(session)).json);
    const wrong = await post(VERIFY, { challenge, code: "000000" });
    const text = "That code isn't right. Codes change every 30 seconds, and each one works only once.";
    expect([wrong.status, wrong.json]).toEqual([400, { ...errorBody("invalid", text), fields: { code: [text] } }]);
    const answer = await post(VERIFY, { challenge, code: session.recovery[0] });
    expect([answer.status, answer.json]).toEqual([200, { accessToken: expect.any(String) }]);
    const { accessToken } = Object(answer.json);
    expect((await callApp("/api/users/me/", { headers: bearer(accessToken) })).status).toBe(200);
    const cookie = sessionCookieIn(answer.headers);
    expect((await callApp("/api/users/me/", { headers: { cookie } })).status).toBe(200);
    for (const name of ["csrftoken", "known_browser"]) expect(cookieIn(answer.headers, name)).not.toBe("");
    const again = await post(VERIFY, { challenge, code: session.recovery[1] });
    const ended = "This sign-in has expired. Please start over.";
    expect([again.status, again.json]).toEqual([401, errorBody("unauthenticated", ended)]);
  });

  test("the cookie is enough, and goes with the login", async () => {
    const session = await guarded();
    const cookie = cookieIn((await begin(session)).headers, "second_step").split(";")[0] ?? "";
    const answer = await post(VERIFY, { code: plainCode(session.recovery[0] ?? "") }, { cookie });
    expect(answer.status).toBe(200);
    expect(cookieIn(answer.headers, "second_step")).toBe("second_step=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
  });

  test.each([
    ["no code", {}, 400],
    ["letters", { code: "abcdef" }, 400],
    ["no challenge", { code: "123456" }, 401],
    ["an unknown challenge", { code: "123456", challenge: "x".repeat(43) }, 401],
  ])("%s is refused", async (_what, body, status) => {
    expect((await post(VERIFY, body)).status).toBe(status);
  });

  test("another site can't send the code", async () => {
    const headers = { origin: "https://evil.example" };
    for (const path of [VERIFY, OPTIONS, PASSKEY]) expect((await post(path, {}, headers)).status).toBe(403);
  });

  test("next-auth's credentials don't open a login past the second step", async () => {
    const { person } = await guarded();
    const csrf = await callApp("/api/auth/csrf");
    const cookie = csrf.headers
      .getSetCookie()
      .map((item) => item.split(";")[0])
      .join("; ");
    const body = { email: person.email, password: person.password, csrfToken: Object(csrf.json).csrfToken };
    const answer = await post("/api/auth/callback/credentials", { ...body, json: "true" }, { cookie });
    expect([answer.status, sessionCookieIn(answer.headers)]).toEqual([401, ""]);
    expect(answer.json).toMatchObject({ code: "second_step_required" });
  });
});

describe("passkeys", () => {
  const add = async (session: Session) => {
    const device = softPasskey({ origin: ours() });
    const { value } = await act("requestNewPasskeyAction", {}, session);
    const response = device.create(value.options);
    const added = await act("addPasskeyAction", { token: value.token, name: "Phone", response }, session);
    expect(added).toMatchObject({ ok: true });
    return device;
  };

  test("a passkey signs in with the cookies and token of a login, also with codes on", async () => {
    const session = await guarded();
    const device = await add(session);
    const { json } = await post(OPTIONS, {});
    expect(json).toEqual({
      token: expect.any(String),
      options: expect.objectContaining({ rpId: "localhost", userVerification: "required" }),
    });
    const { token, options } = Object(json);
    expect(options.allowCredentials ?? []).toEqual([]);
    const answer = await post(PASSKEY, { token, response: device.use(options) });
    expect([answer.status, answer.json]).toEqual([200, { accessToken: expect.any(String) }]);
    expect(sessionCookieIn(answer.headers)).not.toBe("");
    expect((await post(PASSKEY, { token, response: device.use(options) })).status).toBe(401);
  });

  test("broken answers are 400 or 401, and another user's passkey is not found", async () => {
    const [owner, stranger] = [await confirmedSession(), await confirmedSession()];
    const device = await add(owner);
    const { token, options } = Object((await post(OPTIONS, {})).json);
    const response = device.use(options);
    for (const body of [{}, { token }, { token, response: {} }, { token, response: { ...response, id: "é" } }]) {
      expect((await post(PASSKEY, body)).status).toBe(400);
    }
    const garbled = { ...response, response: { ...response.response, signature: "AAAA", authenticatorData: "AAAA" } };
    expect((await post(PASSKEY, { token, response: garbled })).status).toBe(401);
    const passkeyId = `psk_${"0".repeat(26)}`;
    for (const [name, argument] of [
      ["renamePasskeyAction", { passkeyId, name: "Mine" }],
      ["removePasskeyAction", { passkeyId }],
    ] as const) {
      expect(await act(name, argument, stranger)).toMatchObject({ ok: false, code: "not_found" });
    }
  });
});
