import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { SANDBOX_CLIENT } from "#sandbox/pinterest/server.ts";
import {
  connect,
  control,
  createPin,
  decide,
  freshFolder,
  get,
  ownAccount,
  pinBody,
  REDIRECT,
  SCOPES,
  spec,
  start,
  token,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

describe("consent and tokens", () => {
  test("R-ACC-07 the page lists accounts and describes the scopes", async () => {
    const query = new URLSearchParams({
      client_id: SANDBOX_CLIENT.id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: SCOPES,
      state: '"><b>',
    });
    const page = await fetch(`${shared.url}/oauth/?${query}`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("Pinterest sandbox");
    expect(text).toMatch(/value="juniper\.studio" aria-label="juniper\.studio"[^>]* checked/);
    expect(text).toContain("Create, change and delete your public pins");
    expect(text).toContain("&quot;&gt;&lt;b&gt;");
  });

  test.each([
    ["client_id", "other", "client_id"],
    ["redirect_uri", "javascript:alert(1)", "redirect_uri"],
    ["response_type", "token", "response_type"],
    ["scope", "pins:eat", "pins:eat"],
    ["scope", "", "scope"],
  ])("R-ACC-07 a request with a wrong %s shows an error and does not redirect", async (name, value, problem) => {
    const query = new URLSearchParams({
      client_id: SANDBOX_CLIENT.id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: SCOPES,
      [name]: value,
    });
    const page = await fetch(`${shared.url}/oauth/?${query}`, { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(await page.text()).toContain(problem);
  });

  test("R-ACC-07 a registered redirect URL must match exactly", async () => {
    await using handle = await start(freshFolder(), { client: { ...SANDBOX_CLIENT, redirectUris: [REDIRECT] } });
    const query = (redirect_uri: string) =>
      new URLSearchParams({ client_id: SANDBOX_CLIENT.id, redirect_uri, response_type: "code", scope: SCOPES });
    expect((await fetch(`${handle.url}/oauth/?${query(REDIRECT)}`)).status).toBe(200);
    expect((await fetch(`${handle.url}/oauth/?${query(`${REDIRECT}x`)}`)).status).toBe(400);
  });

  test("A-86 denial returns with error and state", async () => {
    const back = await decide(shared.url, { decision: "deny", state: "s-9" });
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "s-9" });
  });

  test("A-86 a code is exchanged once, for its own redirect URL, within ten minutes", async () => {
    await using handle = await start(freshFolder());
    const back = await decide(handle.url, { username: "juniper.studio" });
    expect(back.searchParams.get("state")).toBe("s-1");
    const form = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: REDIRECT,
      continuous_refresh: "true",
    };
    expect(await token(handle.url, { ...form, redirect_uri: `${REDIRECT}x` })).toMatchObject({ status: 400 });
    const first = await token(handle.url, form);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      access_token: expect.stringMatching(/^pina_/),
      refresh_token: expect.stringMatching(/^pinr_/),
      response_type: "authorization_code",
      token_type: "bearer",
      expires_in: 2_592_000,
      refresh_token_expires_in: 5_184_000,
      scope: SCOPES.replaceAll(",", " "),
    });
    expect(spec.checkReply("POST", "/oauth/token", 200, first.body)).toEqual({ ok: true });
    expect(await token(handle.url, form)).toMatchObject({ status: 400, body: { code: 283 } });
    const late = (await decide(handle.url, { username: "juniper.studio" })).searchParams.get("code") ?? "";
    await control(handle.url, "POST", "/clock", { offsetMs: 10 * 60_000 });
    expect(await token(handle.url, { ...form, code: late })).toMatchObject({ status: 400, body: { code: 283 } });
  });

  test("R-ACC-07 a wrong client secret is rejected with 401/2", async () => {
    const form = { grant_type: "refresh_token", refresh_token: "pinr_x" };
    const refused = await token(shared.url, form, `Basic ${Buffer.from(`${SANDBOX_CLIENT.id}:no`).toString("base64")}`);
    expect([refused.status, refused.body]).toEqual([401, { code: 2, message: "Authentication failed." }]);
  });

  test("R-SRV-05 refresh tokens rotate: the used one is invalid, the new one works", async () => {
    const { username, access, refresh } = await ownAccount(shared.url);
    const renewed = await token(shared.url, { grant_type: "refresh_token", refresh_token: refresh });
    expect(renewed.body).toMatchObject({ response_type: "refresh_token", refresh_token_expires_in: 5_184_000 });
    expect(renewed.body.refresh_token_expires_at).toBeGreaterThan(Date.now() / 1000 + 5_000_000);
    expect(await token(shared.url, { grant_type: "refresh_token", refresh_token: refresh })).toMatchObject({
      status: 401,
      body: { code: 2 },
    });
    expect((await get(shared.url, "/user_account", renewed.body.access_token)).body.username).toBe(username);
    expect((await get(shared.url, "/user_account", access)).status).toBe(200);
  });

  test("R-SRV-05 access tokens expire and can be revoked", async () => {
    await using handle = await start(freshFolder());
    const { access } = await connect(handle.url, "juniper.studio");
    await control(handle.url, "POST", "/clock", { offsetMs: 30 * 86_400_000 + 1 });
    expect(await get(handle.url, "/user_account", access)).toMatchObject({ status: 401, body: { code: 2 } });
    const second = await connect(handle.url, "juniper.studio");
    expect((await get(handle.url, "/user_account", second.access)).status).toBe(200);
    await control(handle.url, "POST", "/accounts/juniper.studio/revoke");
    expect(await get(handle.url, "/user_account", second.access)).toMatchObject({ status: 401 });
    expect(await token(handle.url, { grant_type: "refresh_token", refresh_token: second.refresh })).toMatchObject({
      status: 401,
    });
  });

  test("R-ACC-07 a missing scope is named", async () => {
    const { boards, access } = await ownAccount(shared.url, 1, "boards:read,pins:read,user_accounts:read,boards:write");
    const refused = await createPin(shared.url, access, pinBody(boards[0]?.id));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toMatch(/Missing: \['pins:write'\]$/);
  });
});
