import { hash, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { oauthCodes } from "#db/schema/api-keys.ts";
import { sha256 } from "#lib/core/crypto.ts";
import type { OauthClientId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import type { Audience } from "#lib/features/api-keys/constants.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { type Fixtures, fixturesOf } from "#tests/support/fixtures/product.ts";
import { undocumented } from "#tests/support/v1-spec.ts";

let fixtures: Fixtures;
beforeAll(() => {
  fixtures = fixturesOf(inject("app"));
  return () => fixtures.close();
});

const REDIRECT = "https://app.example/callback";
const appUrl = () => inject("app").env.APP_URL ?? "";

const register = (body: unknown) => callApp("/api/oauth/register", { method: "POST", body });

const send = async (path: string, form: Record<string, string> | string) => {
  const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${inject("app").baseUrl}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text ? JSON.parse(text) : null };
};

const VERIFIER = "v".repeat(43);

/** An app that a user has just let in, with the code that it got. */
const consent = async (audience: Audience = "mcp") => {
  const { json } = await register({ client_name: "Helper", redirect_uris: [REDIRECT] });
  const clientId = Object(json).client_id as OauthClientId;
  const user = await fixtures.user({ isVerified: true });
  const code = randomBytes(16).toString("hex");
  await fixtures.db.insert(oauthCodes).values({
    ...{
      codeHash: sha256(code),
      userId: user.id,
      clientId,
      redirectUri: REDIRECT,
      audience,
      scopes: ["accounts:read"],
    },
    ...{ challenge: hash("sha256", VERIFIER, "base64url"), dailyCredits: 5 },
    expiresAt: addMs(new Date(), MINUTE_MS),
  });
  const form = {
    ...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: REDIRECT },
    ...{ code, code_verifier: VERIFIER },
  };
  return { clientId, form };
};

/** A call of the API, with an answer that the specification has. */
const useToken = async (token: string, path: string) => {
  const answer = await callApp(path, { headers: { authorization: `Bearer ${token}` } });
  expect(undocumented("GET", path.replace("/api/v1", ""), answer)).toBeNull();
  return answer;
};

describe("metadata", () => {
  test("lead from a refused call to the place where apps ask for access", async () => {
    const refused = await callApp("/api/mcp", { method: "POST", body: {} });
    const [, where = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const resource = Object((await callApp(new URL(where).pathname)).json);
    expect(resource).toMatchObject({ resource: `${appUrl()}/api/mcp`, authorization_servers: [appUrl()] });
    const server = await callApp("/.well-known/oauth-authorization-server");
    expect([server.status, server.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(server.json).toMatchObject({
      issuer: appUrl(),
      authorization_endpoint: `${appUrl()}/app/authorize`,
      token_endpoint: `${appUrl()}/api/oauth/token`,
      registration_endpoint: `${appUrl()}/api/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  });

  test.each([
    ["", 200, "/api/mcp"],
    ["/api/v1", 200, "/api/v1"],
    ["/api/users", 404, undefined],
  ])("of the resource %j: %i", async (path, status, resource) => {
    const response = await callApp(`/.well-known/oauth-protected-resource${path}`);
    expect(response.status).toBe(status);
    if (resource) expect(response.json).toMatchObject({ resource: `${appUrl()}${resource}` });
  });
});

describe("registration", () => {
  test("returns a public client", async () => {
    const { status, json, headers } = await register({
      client_name: " My\u202E app ",
      redirect_uris: [REDIRECT],
      x: 1,
    });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(json).toEqual({
      client_id: expect.stringMatching(/^ocl_/),
      client_id_issued_at: expect.any(Number),
      client_name: "My app",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test.each([
    [{}, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [REDIRECT], client_name: 5 }, "invalid_client_metadata"],
    ["{", "invalid_request"],
    ["null", "invalid_client_metadata"],
    [{ redirect_uris: { length: { toString: 1 } } }, "invalid_request"],
  ])("%j is %s", async (body, error) => {
    const answer = await register(body);
    expect([answer.status, answer.json]).toEqual([400, { error, error_description: expect.any(String) }]);
  });
});

describe("tokens", () => {
  test("work where they are for, are refreshed, and end when the app says so", async () => {
    const { clientId, form } = await consent("api");
    const { status, json: first, headers } = await send("/api/oauth/token", form);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect((await useToken(first.access_token, "/api/v1/accounts")).status).toBe(200);
    const missing = await useToken(first.access_token, "/api/v1/credits");
    expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringMatching(/^Bearer error="insufficient_scope", scope="credits:read", resource_metadata=/),
    ]);
    const elsewhere = await callApp("/api/mcp", {
      method: "POST",
      body: {},
      headers: { authorization: `Bearer ${first.access_token}` },
    });
    expect([elsewhere.status, elsewhere.text]).toEqual([401, expect.stringContaining("for a different API")]);
    const refreshed = await send("/api/oauth/token", {
      ...{ grant_type: "refresh_token", client_id: clientId, refresh_token: first.refresh_token },
    });
    expect(refreshed.json).toMatchObject({ token_type: "Bearer", scope: "accounts:read" });
    const { access_token: token } = refreshed.json;
    const old = await useToken(first.access_token, "/api/v1/accounts");
    expect([old.status, (await useToken(token, "/api/v1/accounts")).status]).toEqual([401, 200]);
    expect((await send("/api/oauth/revoke", { token, client_id: clientId })).status).toBe(200);
    const ended = await useToken(token, "/api/v1/accounts");
    expect([ended.status, ended.text]).toEqual([401, expect.stringContaining("disconnected this app")]);
  });

  test("of the MCP server are refused by the API", async () => {
    const { form } = await consent();
    const { json } = await send("/api/oauth/token", form);
    const refused = await useToken(json.access_token, "/api/v1/accounts");
    expect([refused.status, refused.json]).toEqual([401, expect.objectContaining({ code: "invalid_key" })]);
  });

  test("broken requests name the error as the standard does", async () => {
    const { form } = await consent();
    const wrong: [Record<string, string> | string, string][] = [
      ["", "invalid_request"],
      [{ ...form, grant_type: "password" }, "unsupported_grant_type"],
      [{ ...form, code_verifier: "short" }, "invalid_request"],
      [{ ...form, code: "unknown" }, "invalid_grant"],
      [{ grant_type: "refresh_token", refresh_token: "x", client_id: "y" }, "invalid_client"],
      [{ grant_type: "refresh_token", refresh_token: "x", client_id: "\0" }, "invalid_client"],
      [{ ...form, code: "\0" }, "invalid_grant"],
      [{ grant_type: "refresh_token", refresh_token: "x", client_id: form.client_id }, "invalid_grant"],
      [{ ...form, resource: `${appUrl()}/api/v1` }, "invalid_target"],
      [`${new URLSearchParams(form)}&code=twice`, "invalid_request"],
      [`${"x".repeat(1_100_000)}=1`, "too_large"],
    ];
    for (const [body, error] of wrong) {
      const answer = await send("/api/oauth/token", body);
      expect([answer.json, answer.status < 500]).toEqual([{ error, error_description: expect.any(String) }, true]);
    }
    const json = await callApp("/api/oauth/token", { method: "POST", body: form });
    expect([json.status, Object(json.json).error]).toEqual([400, "invalid_request"]);
    expect((await callApp("/api/oauth/token")).status).toBe(405);
    // Nothing above used the code up.
    expect((await send("/api/oauth/token", form)).status).toBe(200);
  });
});
