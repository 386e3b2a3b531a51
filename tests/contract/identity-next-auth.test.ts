import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";
import { bearer, errorBody, newPerson, openSession, type Person, register, sessionCookieIn } from "./wire-harness.ts";

const database = databaseAt(() => inject("app").databaseUrl);

/** A browser's cookies, as next-auth's own pages use them. */
const openBrowser = () => {
  const jar = new Map<string, string>();
  const call = async (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await callApp(path, {
      headers: { cookie, ...(form && { "content-type": "application/x-www-form-urlencoded" }), ...headers },
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
    });
    for (const item of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (item.split(";")[0] ?? "").split(/=(.*)/s);
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  const csrfToken = async (): Promise<string> => Object((await call("/api/auth/csrf")).json).csrfToken;
  const signIn = async ({ email, password }: Person, more: Record<string, string> = {}) =>
    call("/api/auth/callback/credentials", { email, password, csrfToken: await csrfToken(), json: "true", ...more });
  return { call, csrfToken, signIn, session: () => jar.get("next-auth.session-token") };
};

const registered = async (): Promise<Person> => {
  const person = newPerson();
  await register({ callApp }, person);
  return person;
};

const countActiveLogins = async ({ email }: Person): Promise<number> => {
  const [row] = await database()`select count(*)::int as n from logins join users on users.id = logins.user_id
    where users.email = ${email} and revoked_at is null`;
  return row?.n;
};

describe("next-auth's own routes", () => {
  test("what a visitor sends forges no line in the log, and nothing writes there at will", async () => {
    const forged = `{"at":"2026-01-01T00:00:00.000Z","request_id":"req_forged${randomBytes(6).toString("hex")}"}`;
    const browser = openBrowser();
    const spoiled = await browser.call(`/api/auth/csrf?callbackUrl=${encodeURIComponent(`:\n${forged}\n`)}`);
    expect(spoiled.status).toBe(400);
    expect((await browser.call("/api/auth/_log", { level: "error", code: "x", message: forged })).status).toBe(404);
    const dataDir = dirname((inject("app").env.STORAGE_URL ?? "").replace(/^file:/, ""));
    const read = () => readFileSync(join(dataDir, "logs", "app.log"), "utf8");
    const id = spoiled.headers.get("x-request-id") ?? "";
    await until(() => read().includes(id), { what: "the request in the log" });
    expect(read()).toContain('"sign_in_problem":"INVALID_CALLBACK_URL_ERROR"');
    expect(read()).not.toContain(forged);
    const from = read().indexOf('{"at"');
    for (const line of read().slice(from).trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });

  test("its credentials login opens a login; signing out ends it and its cookie", async () => {
    const person = await registered();
    const browser = openBrowser();
    const signedIn = await browser.signIn(person);
    expect([signedIn.status, await countActiveLogins(person)]).toEqual([200, 1]);
    const cookie = `next-auth.session-token=${browser.session()}`;
    expect((await callApp("/api/users/me/", { headers: { cookie } })).json).toMatchObject({ email: person.email });
    expect((await browser.call("/api/auth/session")).json).toMatchObject({
      user: { name: person.username, email: person.email },
    });
    await browser.call("/api/auth/signout", { csrfToken: await browser.csrfToken(), json: "true" });
    expect([browser.session(), await countActiveLogins(person)]).toEqual([undefined, 0]);
    expect((await callApp("/api/users/me/", { headers: { cookie } })).status).toBe(401);
    const { json } = await callApp("/api/auth/session", { headers: { cookie } });
    expect(Object(json).user).toBeUndefined();
  });

  test("the documented login's cookie is a next-auth session, its access token is not", async () => {
    const { cookie, token, person } = await openSession({ callApp });
    const session = await callApp("/api/auth/session", { headers: { cookie } });
    expect(session.json).toMatchObject({ user: { email: person.email } });
    const swapped = `next-auth.session-token=${token}`;
    expect((await callApp("/api/auth/session", { headers: { cookie: swapped } })).text).not.toContain(person.email);
    await callApp("/api/auth/logout/", { method: "POST", headers: bearer(token) });
    expect((await callApp("/api/auth/session", { headers: { cookie } })).text).not.toContain(person.email);
  });

  test("signing in and out without next-auth's CSRF token does nothing", async () => {
    const person = await registered();
    const browser = openBrowser();
    await browser.signIn(person, { csrfToken: "guessed" });
    expect([browser.session(), await countActiveLogins(person)]).toEqual([undefined, 0]);
    await browser.signIn(person);
    await browser.call("/api/auth/signout", { csrfToken: "guessed", json: "true" });
    expect(await countActiveLogins(person)).toBe(1);
  });

  test("R-LOGIN-06 a wrong password and an unknown address look the same here too", async () => {
    const person = await registered();
    const wrong = await openBrowser().signIn({ ...person, password: "wrong one" });
    const unknown = await openBrowser().signIn({ ...person, email: `x${person.email}` });
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
    expect(unknown.status).toBe(401);
    expect(sessionCookieIn(wrong.headers)).toBe("");
  });

  test.each(["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http://["])(
    "callbackUrl %s does not redirect to another site",
    async (callbackUrl) => {
      const { origin } = new URL(inject("app").baseUrl);
      const person = await registered();
      const browser = openBrowser();
      const answers = [
        await browser.signIn(person, { callbackUrl }),
        await browser.call(`/api/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`),
        await browser.call(`/api/auth/signout?callbackUrl=${encodeURIComponent(callbackUrl)}`),
        await browser.call("/api/auth/signout", { csrfToken: await browser.csrfToken(), callbackUrl, json: "true" }),
      ];
      for (const { status, headers, json } of answers) {
        expect(status).toBeLessThan(500);
        const to = headers.get("location") ?? Object(json).url ?? "/";
        expect(new URL(to, origin).origin).toBe(origin);
      }
    },
  );

  test("unsupported requests get a documented error, never a 500", async () => {
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    const refused: [string, Parameters<typeof callApp>[1], number, string][] = [
      ["/api/auth/callback/credentials", {}, 405, "method_not_allowed"],
      ["/api/auth/callback/other", json, 404, "not_found"],
      ["/api/auth/signout", { ...json, body: "{" }, 400, "invalid"],
      ["/api/auth/signin/credentials", { ...json, body: "x".repeat(1_100_000) }, 413, "too_large"],
    ];
    for (const [path, options, status, code] of refused) {
      const answer = await callApp(path, options);
      expect([path, answer.status, answer.json]).toMatchObject([path, status, { code }]);
      expect(answer.json).toEqual(errorBody(code));
    }
    for (const body of [
      "null",
      "7",
      "[]",
      '{"callbackUrl":{"a":1},"csrfToken":[1]}',
      '{"__proto__":{"json":"true"}}',
    ]) {
      for (const path of ["callback/credentials", "signin/credentials", "signout", "session", "_log", "error"]) {
        expect((await callApp(`/api/auth/${path}`, { ...json, body })).status).toBeLessThan(500);
      }
    }
    const read = ["error?error=Configuration", "error", "verify-request", "providers", "nope", "session/x"];
    for (const path of read) expect((await callApp(`/api/auth/${path}`)).status).toBeLessThan(500);
  });
});
