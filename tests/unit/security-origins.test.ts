import { beforeAll, expect, test, vi } from "vitest";
import { refuseForeignOrigin, requireOwnClient } from "#lib/server/origins.ts";
import { composeSettings, preferredPorts } from "#scripts/compose.ts";
import { createSecrets } from "#scripts/settings-file.ts";

const OWN = "http://localhost:3000";
const PARTNER = "https://partner.example";
const JSON_BODY = { "content-type": "application/json" };

beforeAll(() => {
  const databaseUrl = "postgres://127.0.0.1:9/none";
  const place = { ports: preferredPorts, host: "127.0.0.1", databaseUrl, dataDir: "/tmp/none" };
  const { env } = composeSettings({ given: { CORS_ORIGINS: PARTNER }, secrets: createSecrets(), ...place });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});

const request = (headers: Record<string, string>) =>
  new Request(`${OWN}/api/users/login/`, { method: "POST", headers, body: "{}" });
/** Bytes, because text gets a content type by itself. */
const bare = (headers: Record<string, string>) =>
  new Request(`${OWN}/api/users/login/`, { method: "POST", headers, body: new Uint8Array([123, 125]) });

test.each([
  ["our own page", { origin: OWN, "sec-fetch-site": "same-origin", ...JSON_BODY }],
  ["an origin of CORS_ORIGINS", { origin: PARTNER, "sec-fetch-site": "cross-site", ...JSON_BODY }],
  ["a client without an Origin", JSON_BODY],
  ["a client that names nothing", {}],
  ["a client that names the character set", { "content-type": "Application/JSON; charset=utf-8" }],
])("a sign-in by %s is accepted", (_who, headers) => {
  expect(() => requireOwnClient(bare(headers))).not.toThrow();
});

test.each([
  ["another site", { origin: "https://evil.example", ...JSON_BODY }],
  ["a sandboxed frame", { origin: "null", ...JSON_BODY }],
  ["a browser that hides the origin of another site", { "sec-fetch-site": "cross-site", ...JSON_BODY }],
  ["a browser that hides a subdomain's origin", { "sec-fetch-site": "same-site", ...JSON_BODY }],
  ["a form of another site", { origin: "https://evil.example", "content-type": "text/plain" }],
])("a sign-in by %s is refused", (_who, headers) => {
  expect(() => requireOwnClient(request(headers))).toThrow(expect.objectContaining({ code: "csrf" }));
});

test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"])(
  "a sign-in as %s is refused, since forms of other sites can send it",
  (type) => {
    const refusal = expect.objectContaining({ code: "invalid", message: expect.stringContaining("application/json") });
    expect(() => requireOwnClient(request({ "content-type": type }))).toThrow(refusal);
    expect(() => requireOwnClient(request({ "content-type": type, origin: OWN }))).toThrow(refusal);
  },
);

test("a page always names the type", () => {
  expect(() => requireOwnClient(bare({ origin: OWN }))).toThrow(expect.objectContaining({ code: "invalid" }));
});

test("next-auth's forms, which have a token of their own, are refused from other origins only", () => {
  expect(() => refuseForeignOrigin(request({}))).not.toThrow();
  expect(() => refuseForeignOrigin(request({ origin: OWN }))).not.toThrow();
  for (const origin of ["null", "https://evil.example"])
    expect(() => refuseForeignOrigin(request({ origin }))).toThrow(expect.objectContaining({ code: "csrf" }));
});
