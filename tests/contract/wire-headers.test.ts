import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { openSession } from "./wire-harness.ts";

const PATHS = [
  "/",
  "/login",
  "/register",
  "/verify-email/abc",
  "/app",
  "/no-such-page",
  "/icon.svg",
  "/posters/citrus.svg",
  "/api/users/me/",
  "/api/health/",
  "/api/nope",
  "/api/images/pins/a.jpg",
  "/api/auth/session",
];

describe("headers of every response", () => {
  test.each(PATHS)("%s", async (path) => {
    const { headers } = await callApp(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-frame-options": "DENY",
      "permissions-policy": expect.stringContaining("camera=()"),
      "cross-origin-opener-policy": "same-origin",
    });
    const policy = headers.get("content-security-policy") ?? "";
    for (const directive of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(directive);
    }
    expect(/script-src [^;]*/.exec(policy)?.[0]).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("x-powered-by")).toBeNull();
    // Browsers ignore it over http, and a test's origin is never https.
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("pages of the app have them too", async () => {
    const answer = await (await signUp()).call("/api/users/me/");
    expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
  });
});

/** `fetch` refuses these methods. */
const speak = (request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(inject("app").baseUrl);
    const socket = connect(Number(port), hostname, () => socket.end(request));
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.once("error", reject).once("close", () => resolve(text));
  });

describe("unusual methods", () => {
  const paths = ["/", "/app", "/api/users/me/", "/api/inngest", "/icon.svg"];
  test.each([
    ["TRACE", 405],
    ["PROPFIND", 405],
    ["BREW", 400],
  ])("%s is answered with %i and the security headers", async (method, status) => {
    for (const path of paths) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-Echo: canary\r\nConnection: close`;
      const answer = await speak(`${head}\r\n\r\n`);
      expect([path, answer.split(" ")[1]]).toEqual([path, String(status)]);
      for (const header of ["X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Content-Security-Policy: def"])
        expect(answer).toContain(header);
      expect(answer).not.toContain("canary");
    }
  });
});

describe("caching", () => {
  test("images and icons are cached for a month", async () => {
    const posters = readdirSync(inRepository("public", "posters")).map((name) => `/posters/${name}`);
    for (const path of [
      ...posters.slice(0, 3),
      "/pins/bread-480.avif",
      "/screens/posts-dark-720.avif",
      "/icon.svg",
      "/apple-icon.png",
    ]) {
      const { status, headers } = await callApp(path);
      expect([path, status, headers.get("cache-control")]).toEqual([
        path,
        200,
        "public, max-age=2592000, stale-while-revalidate=31536000",
      ]);
    }
  });

  test("calls and dynamic pages are not cached; public pages are revalidated", async () => {
    const user = await signUp();
    expect((await user.call("/api/users/me/")).headers.get("cache-control")).toBe("no-store");
    for (const path of ["/verify-email/abc", "/app"]) {
      expect((await callApp(path)).headers.get("cache-control") ?? "").not.toMatch(/public|s-maxage/);
    }
    const first = await callApp("/login");
    expect(first.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    const again = await callApp("/login", { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(again.headers.get("content-security-policy")).toBe(first.headers.get("content-security-policy"));
  });
});

describe("the proxy", () => {
  test.each(["/app", "/app/", "/app/generated-posts?status=draft", "/app/board-manager", "/app/x.png"])(
    "R-ROLE-03 a visitor at %s is redirected to the login with the path",
    async (path) => {
      const { status, headers } = await callApp(path);
      expect(status).toBe(307);
      const to = new URL(headers.get("location") ?? "", "http://here.invalid");
      expect([to.pathname, to.searchParams.get("next")]).toEqual(["/login", path]);
    },
  );

  test("R-AUTH-08 A-46 the CSRF cookie is set on login and on /app, readable and Lax, and not replaced", async () => {
    const form = /^csrftoken=[\w-]{43}; Path=\/; SameSite=Lax; Max-Age=31536000$/;
    const session = await openSession({ callApp });
    const { email, password } = session.person;
    const login = (headers = {}) =>
      callApp("/api/users/login/", { method: "POST", body: { email, password }, headers });
    const [, csrf = ""] = (await login()).headers.getSetCookie();
    expect(csrf).toMatch(form);
    const pair = csrf.split(";")[0] ?? "";
    expect((await login({ cookie: pair })).headers.getSetCookie().join()).not.toContain("csrftoken");
    const [onApp = ""] = (await callApp("/app", { headers: { cookie: session.cookie } })).headers.getSetCookie();
    expect(onApp).toMatch(form);
    const again = await callApp("/app", { headers: { cookie: `${session.cookie}; ${pair}` } });
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test("public pages set no cookie, so that they are cacheable", async () => {
    for (const path of ["/", "/login", "/register", "/no-such-page"]) {
      expect([path, (await callApp(path)).headers.getSetCookie()]).toEqual([path, []]);
    }
  });
});
