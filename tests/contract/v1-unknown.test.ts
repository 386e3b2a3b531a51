import { request } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { client, fixtures, newKey, problem, v1ForFile } from "./v1-harness.ts";

v1ForFile();

const own = () => ({ authorization: `Bearer ${client().secret}` });

const PATHS = ["", "/", "/nothing", "/pins/a/b/c", "/%ff", "/pins/%zz"];

/** What every answer of the API has, whether it was found or not. */
const standard = (headers: Headers) => ({
  type: headers.get("content-type"),
  id: headers.get("x-request-id"),
  caching: headers.get("cache-control"),
  sniffing: headers.get("x-content-type-options"),
  left: headers.get("ratelimit-remaining"),
  limit: headers.get("ratelimit-limit"),
  reset: headers.get("ratelimit-reset"),
});

const HEADERS = {
  type: "application/problem+json",
  id: expect.stringMatching(/^req_/),
  caching: "no-store",
  sniffing: "nosniff",
};
const QUOTA = {
  left: expect.stringMatching(/^\d+$/),
  limit: expect.stringMatching(/^\d+$/),
  reset: expect.stringMatching(/^\d+$/),
};
const NO_QUOTA = { left: null, limit: null, reset: null };

describe("a path without a call", () => {
  test.each(PATHS)("%j is a problem for every method", async (path) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const { status, headers, json } = await callApp(`/api/v1${path}`, { method, headers: own() });
      expect([method, status, json]).toEqual([method, 404, problem("not_found", 404)]);
      expect(standard(headers)).toEqual({ ...HEADERS, ...QUOTA });
    }
  });

  test.each(PATHS)("%j asks for a key first", async (path) => {
    const { status, headers, json } = await callApp(`/api/v1${path}`);
    expect([status, json]).toEqual([401, problem("unauthenticated", 401)]);
    expect(standard(headers)).toEqual({ ...HEADERS, ...NO_QUOTA });
    expect(headers.get("www-authenticate")).toMatch(/resource_metadata=".*\/api\/v1"$/);
  });

  test("is refused to a revoked key, and uses up the key's own limit, not the user's", async () => {
    const user = await fixtures().user({ isVerified: true, plan: "pro" });
    const revoked = await fixtures().apiKey(user, { revokedAt: new Date() });
    const left = async (path: string, secret: string) => {
      const answer = await callApp(`/api/v1${path}`, { headers: { authorization: `Bearer ${secret}` } });
      return [answer.status, Number(answer.headers.get("ratelimit-remaining"))] as const;
    };
    expect((await left("/nothing", revoked.secret))[0]).toBe(401);
    const { secret } = await fixtures().apiKey(user);
    const [, before] = await left("/credits", secret);
    const [[, first], [, second]] = [await left("/nothing", secret), await left("/nothing", secret)];
    expect(first - second).toBe(1);
    expect(await left("/credits", secret)).toEqual([200, before - 1]);
  });

  test("a page on another origin may read it", async () => {
    const { origin } = new URL(inject("app").baseUrl);
    const { headers } = await callApp("/api/v1", { headers: { ...own(), origin } });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
  });
});

/** `fetch` refuses to send TRACE. */
const send = (method: string, path: string): Promise<{ status: number; headers: Headers; json: unknown }> =>
  new Promise((resolve, reject) => {
    const sent = request(`${inject("app").baseUrl}${path}`, { method, headers: own() }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += String(chunk);
      const headers = new Headers(answer.headers as Record<string, string>);
      resolve({ status: answer.statusCode ?? 0, headers, json: JSON.parse(text) });
    });
    sent.on("error", reject).end();
  });

describe("a method without a call", () => {
  test.each([
    ["PUT", "/pins", "GET, POST"],
    ["DELETE", "/credits", "GET"],
    ["POST", "/pins/x/slides", null],
    ["PATCH", "/uploads", "POST"],
  ])("%s %s names the methods that work", async (method, path, allow) => {
    const { status, headers, json } = await callApp(`/api/v1${path}`, {
      method,
      headers: { ...own(), "idempotency-key": newKey() },
    });
    const code = allow === null ? "not_found" : "method_not_allowed";
    expect([status, json]).toEqual([allow === null ? 404 : 405, problem(code, allow === null ? 404 : 405)]);
    expect(standard(headers)).toEqual({ ...HEADERS, ...QUOTA });
    expect(headers.get("allow")).toBe(allow);
  });

  test.each(["TRACE", "PROPFIND"])("%s is a problem, too", async (method) => {
    for (const path of ["/api/v1", "/api/v1/pins"]) {
      const { status, headers, json } = await send(method, path);
      expect([status, json]).toEqual([405, problem("method_not_allowed", 405)]);
      expect(standard(headers)).toEqual({ ...HEADERS, ...NO_QUOTA });
      expect(headers.get("allow")).toContain("GET");
    }
    expect((await send(method, "/api/v10")).headers.get("content-type")).toBe("application/json");
  });
});
