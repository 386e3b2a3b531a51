import { describe, expect, test } from "vitest";
import { AUDIENCE_SCOPES } from "#lib/features/oauth/constants.ts";
import { audienceOf, backUrl, isRedirectUri, isRegistered, readScopes, targetOf } from "#lib/features/oauth/policy.ts";
import { readQuery } from "#lib/features/oauth/schema.ts";
import { TOOLS } from "#lib/server/mcp/tools.ts";

describe("redirect URIs", () => {
  test.each([
    "https://app.example/callback?x=1",
    "http://localhost:3000/callback",
    "http://127.0.0.1/cb",
    "http://[::1]:8080/cb",
    "com.example.app:/oauth",
    "cursor://anysphere.cursor-mcp/oauth/callback",
  ])("%s is accepted", (uri) => expect(isRedirectUri(uri)).toBe(true));

  test.each([
    "http://app.example/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://app.example/x",
    "ftp://app.example/",
    "https://user:secret@app.example/",
    "https://app.example/#fragment",
    "https://app.example/\u202Ecallback",
    "/callback",
    `https://app.example/${"x".repeat(2_000)}`,
    "http://localhost.evil.example/",
  ])("%s is refused", (uri) => expect(isRedirectUri(uri)).toBe(false));

  test("match as a whole, except for the port on this computer", () => {
    const known = ["https://app.example/callback", "http://127.0.0.1:3000/cb"];
    expect(isRegistered("https://app.example/callback", known)).toBe(true);
    expect(isRegistered("https://app.example/callback/", known)).toBe(false);
    expect(isRegistered("https://app.example:8443/callback", known)).toBe(false);
    expect(isRegistered("http://127.0.0.1:4567/cb", known)).toBe(true);
    expect(isRegistered("http://127.0.0.1:4567/other", known)).toBe(false);
    expect(isRegistered("http://localhost:4567/cb", known)).toBe(false);
    expect(isRegistered("not a URI", known)).toBe(false);
  });

  test("are named as people know them", () => {
    expect(targetOf("https://app.example/callback")).toBe("app.example");
    expect(targetOf("http://localhost:3000/")).toBe("a program on this computer");
    expect(targetOf("cursor://x/y")).toBe("an app on this device (cursor:)");
  });

  test("keep their query, and get values encoded", () => {
    expect(backUrl("https://app.example/cb?x=1", { code: "a&b", state: null })).toBe(
      "https://app.example/cb?x=1&code=a%26b",
    );
  });
});

test("parameters that are repeated, empty, too long, or named like an object's own parts are left out", () => {
  const parameters = { client_id: "ocl_1", scope: "", state: ["a", "b"], redirect_uri: "x".repeat(2_001) };
  expect(readQuery({ ...parameters, constructor: "x" })).toEqual({ client_id: "ocl_1" });
});

test("a resource is one of our servers", () => {
  const url = "https://pins.example";
  expect(audienceOf(undefined, url)).toBe("mcp");
  expect(audienceOf(`${url}/api/mcp/`, url)).toBe("mcp");
  expect(audienceOf(`${url}/api/v1`, url)).toBe("api");
  expect(audienceOf("https://evil.example/api/mcp", url)).toBeNull();
});

test("an app gets the known ones of the permissions that it asks for", () => {
  expect(readScopes("pins:read openid schedule:write", "mcp")).toEqual(["pins:read"]);
  expect(readScopes(undefined, "mcp")).toEqual(AUDIENCE_SCOPES.mcp);
  expect(readScopes("openid", "mcp")).toEqual([]);
});

test("apps of the MCP server can ask for what its tools need, and nothing more", () => {
  expect([...AUDIENCE_SCOPES.mcp].toSorted()).toEqual([...new Set(TOOLS.map(({ scope }) => scope))].toSorted());
});
