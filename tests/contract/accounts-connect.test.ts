import { describe, expect, inject, test } from "vitest";
import { callApp, completeConsent, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";

const AUTH = "/api/users/pinterest/auth/";
const ACCOUNTS = "/api/users/pinterest/accounts/";

const createAccount = () => controlPinterest(inject("app").pinterestUrl).createAccount();

/** Where a callback sends the browser; every one must be a redirect to the accounts screen. */
const locationOf = async (path: string, cookie = "") => {
  const answer = await callApp(path, cookie === "" ? {} : { headers: { cookie } });
  expect(answer.status).toBe(302);
  return answer.headers.get("location");
};

describe("GET /api/users/pinterest/auth/", () => {
  test("R-API-07 R-ACC-07 responds with exactly auth_url and a Lax HttpOnly cookie", async () => {
    const user = await signUp();
    const answer = await user.call(AUTH);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ auth_url: expect.any(String) });
    const url = new URL(Object(answer.json).auth_url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      redirect_uri: `${inject("app").baseUrl}/api/users/pinterest/callback/`,
      scope: expect.stringContaining("boards:read_secret"),
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^pinterest_connect_[\w-]{12}=[\w-]{43}; Path=\/api\/users\/pinterest; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect((await user.call(AUTH.slice(0, -1))).status).toBe(200);
  });

  test("R-API-30 401 without a token", async () => {
    const answer = await callApp(AUTH);
    expect(answer).toMatchObject({ status: 401, json: { code: "unauthenticated" } });
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("R-API-07 R-ACC-12 R-ROLE-05 A-89 responds with 403 and the text at the plan's limit", async () => {
    const user = await signUp();
    await connectOverHttp(user);
    const text = "Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more.";
    const answer = await user.call(AUTH);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({
      error: text,
      message: text,
      code: "plan_limit",
      request_id: expect.stringMatching(/^req_/),
    });
  });

  test("R-API-31 reconnecting another user's account is 404, a wrong id 400 or 404", async () => {
    const { id } = await connectOverHttp(await signUp());
    const stranger = await signUp();
    expect((await stranger.call(`${AUTH}?account_id=${id}`)).status).toBe(404);
    expect((await stranger.call(`${AUTH}?account_id=x`)).status).toBe(404);
    expect((await stranger.call(`${AUTH}?account_id=`)).status).toBe(400);
    expect((await stranger.call(`${AUTH}?account_id=${"x".repeat(500)}`)).status).toBe(400);
  });
});

describe("GET /api/users/pinterest/callback/", () => {
  test("A-86 success redirects to /app/?success=1, removes the cookie and works once", async () => {
    const user = await signUp();
    const { callbackPath, cookie } = await completeConsent(user, { username: await createAccount() });
    const answer = await callApp(callbackPath, { headers: { cookie } });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/app/?success=1"]);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect(await locationOf(callbackPath, cookie)).toBe("/app/?error=state");
    expect((await user.call(ACCOUNTS)).json).toHaveLength(1);
  });

  test("A-86 a denial redirects to /app/?error=denied", async () => {
    const user = await signUp();
    const { callbackPath, cookie } = await completeConsent(user, { decision: "deny" });
    expect(await locationOf(callbackPath, cookie)).toBe("/app/?error=denied");
    expect((await user.call(ACCOUNTS)).json).toEqual([]);
  });

  test("A-86 another browser cannot complete the connection", async () => {
    const user = await signUp();
    const mine = await completeConsent(user, { username: await createAccount() });
    const theirs = await completeConsent(await signUp(), { username: await createAccount() });
    expect(await locationOf(mine.callbackPath)).toBe("/app/?error=state");
    expect(await locationOf(mine.callbackPath, theirs.cookie)).toBe("/app/?error=state");
    const planted = `${mine.cookie.split("=")[0]}=${theirs.cookie.split("=")[1]}`;
    expect(await locationOf(mine.callbackPath, planted)).toBe("/app/?error=state");
    expect((await user.call(ACCOUNTS)).json).toEqual([]);
  });

  test("A-86 reconnecting with another Pinterest user fails and changes nothing", async () => {
    const user = await signUp();
    const account = await connectOverHttp(user);
    const { callbackPath, cookie } = await completeConsent(
      user,
      { username: await createAccount() },
      `?account_id=${account.id}`,
    );
    expect(await locationOf(callbackPath, cookie)).toBe("/app/?error=other_account");
    expect((await user.call(ACCOUNTS)).json).toMatchObject([{ id: account.id, username: account.username }]);
  });

  test.each([
    ["nothing", ""],
    ["a code alone", "?code=abc"],
    [
      "hostile values",
      `?code=${encodeURIComponent("\r\nlocation: https://evil.test")}&state=${encodeURIComponent("a;b\r\nc")}`,
    ],
    ["an error of someone's making", "?error=%3Cscript%3E&state=x"],
    ["long values", `?code=c&state=${"s".repeat(3_000)}`],
    ["repeated values", "?code=a&code=b&state=1&state=2"],
  ])("A-86 A-87 %s ends on the accounts screen with a fixed error code", async (_, query) => {
    const location = await locationOf(`/api/users/pinterest/callback/${query}`);
    expect(location).toMatch(/^\/app\/\?error=(denied|state)$/);
  });
});
