import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { callApp, signUp } from "#tests/support/contract-client.ts";

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

describe("QUALITY row 18 headers of every answer", () => {
  test.each(PATHS)("QUALITY row 18 %s", async (path) => {
    const { headers } = await callApp(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-frame-options": "DENY",
      "content-security-policy": "frame-ancestors 'none'; base-uri 'self'; object-src 'none'; form-action 'self'",
      "permissions-policy": expect.stringContaining("camera=()"),
    });
    expect(headers.get("x-powered-by")).toBeNull();
  });

  test("QUALITY row 18 what the signed-in see has them too", async () => {
    const answer = await (await signUp()).call("/api/users/me/");
    expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
  });
});

describe("what caches may keep", () => {
  test("drawings and icons for a month", async () => {
    const posters = readdirSync(inRepository("public", "posters")).map((name) => `/posters/${name}`);
    for (const path of [...posters.slice(0, 3), "/icon.svg", "/apple-icon.png"]) {
      const { status, headers } = await callApp(path);
      expect([path, status, headers.get("cache-control")]).toEqual([
        path,
        200,
        "public, max-age=2592000, stale-while-revalidate=31536000",
      ]);
    }
  });

  test("pages and calls not at all", async () => {
    const user = await signUp();
    expect((await user.call("/api/users/me/")).headers.get("cache-control")).toBe("no-store");
    for (const path of ["/login", "/app"]) {
      expect((await callApp(path)).headers.get("cache-control") ?? "").not.toMatch(/public|s-maxage/);
    }
  });
});

describe("the gate", () => {
  test.each(["/app", "/app/", "/app/generated-posts?status=draft", "/app/board-manager"])(
    "DESIGN §7 R-ROLE-03 a visitor at %s is sent to the login with the path remembered",
    async (path) => {
      const { status, headers } = await callApp(path);
      expect(status).toBe(307);
      const to = new URL(headers.get("location") ?? "", "http://here.invalid");
      expect([to.pathname, to.searchParams.get("next")]).toEqual(["/login", path]);
    },
  );

  test("R-AUTH-08 A-46 the first page brings the CSRF cookie, readable and Lax; the second keeps it", async () => {
    const [cookie = ""] = (await callApp("/login")).headers.getSetCookie();
    expect(cookie).toMatch(/^csrftoken=[\w-]{43}; Path=\/; Expires=[^;]+; Max-Age=31536000; SameSite=lax$/);
    const again = await callApp("/register", { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(again.headers.getSetCookie()).toEqual([]);
  });
});
