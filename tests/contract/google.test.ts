import { expect, inject, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { sessionCookieIn } from "./wire-harness.ts";

const START = "/api/auth/google/";
const { baseUrl, googleUrl } = inject("app");

const go = (url: string, init: RequestInit = {}) => fetch(url, { redirect: "manual", ...init });
const cookieIn = (response: Response, name: string): string =>
  response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`)) ?? "";
const locationOf = (response: Response): URL => new URL(response.headers.get("location") ?? "", baseUrl);

/** Goes to Google's page and continues there as this address. */
const toCallback = async (email: string, { create = "1", from = `${baseUrl}/login` } = {}) => {
  const started = await go(`${baseUrl}${START}?create=${create}`, { headers: { referer: from } });
  const page = locationOf(started);
  const body = new URLSearchParams(page.searchParams);
  body.set("decision", "approve");
  body.set("other", email);
  const decided = await go(`${googleUrl}/decision`, { method: "POST", body });
  return { started, page, callback: locationOf(decided) };
};

test("the start leads to Google with PKCE, state and nonce, and binds the browser by a cookie", async () => {
  const { started, page } = await toCallback("a@gmail.example");
  expect([started.status, page.origin]).toEqual([302, googleUrl]);
  const sent = Object.fromEntries(page.searchParams);
  expect(sent).toMatchObject({
    redirect_uri: `${baseUrl}/api/auth/google/callback/`,
    response_type: "code",
    scope: "openid email profile",
    code_challenge_method: "S256",
    state: expect.stringMatching(/^.{40,}$/),
    nonce: expect.stringMatching(/^.{40,}$/),
  });
  expect(cookieIn(started, "google_sign_in")).toMatch(
    /^google_sign_in=[\w-]{43}; Path=\/api\/auth\/google; Expires=[^;]+; Max-Age=600; HttpOnly; SameSite=lax$/i,
  );
});

test("the callback signs in: the session cookie, and then the remembered page", async () => {
  const from = `${baseUrl}/login?next=%2Fapp%2Fvideos`;
  const { started, callback } = await toCallback("wire.moss@gmail.example", { from });
  const cookie = cookieIn(started, "google_sign_in").split(";")[0] ?? "";
  const answer = await go(callback.href, { headers: { cookie } });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/app/videos"]);
  expect(cookieIn(answer, "google_sign_in")).toMatch(/^google_sign_in=;.*Max-Age=0/);
  for (const name of ["csrftoken", "known_browser", "formlogin"]) expect(cookieIn(answer, name)).not.toBe("");
  const me = await callApp("/api/users/me/", { headers: { cookie: sessionCookieIn(answer.headers) } });
  expect(me.json).toMatchObject({ email: "wire.moss@gmail.example", email_verified: true });
  const again = await go(callback.href, { headers: { cookie } });
  expect(again.headers.get("location")).toBe("/login/?error=google_failed");
  expect(sessionCookieIn(again.headers)).toBe("");
});

test("another browser's callback opens no login, and an unknown account leads to registration", async () => {
  const { callback } = await toCallback("other.moss@gmail.example");
  const stolen = await go(callback.href);
  expect(stolen.headers.get("location")).toBe("/login/?error=google_failed");
  const { started, callback: known } = await toCallback("new.moss@gmail.example", { create: "" });
  const cookie = cookieIn(started, "google_sign_in").split(";")[0] ?? "";
  const answer = await go(known.href, { headers: { cookie } });
  expect(answer.headers.get("location")).toBe("/register/?error=google_unknown");
  expect(sessionCookieIn(answer.headers)).toBe("");
});
