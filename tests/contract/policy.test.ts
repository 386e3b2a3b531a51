import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PAGE_PATHS } from "#components/site/page-copy.ts";
import { inRepository } from "#scripts/root.ts";
import { testDistDir } from "#tests/support/app.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { databaseAt } from "./wire-database.ts";
import { appForFile, bearer, errorBody, openSession } from "./wire-harness.ts";

const manifest = JSON.parse(readFileSync(inRepository(testDistDir, "prerender-manifest.json"), "utf8"));
const built: [string, { routeType: string; initialRevalidateSeconds: unknown }][] = Object.entries(manifest.routes);
const staticPages = built.filter(([path, { routeType }]) => routeType === "page" && !path.startsWith("/_"));

/** Every public page except the status page, which is dynamic. */
const PUBLIC_PATHS = [
  // Not listed anywhere, because it continues a sign-in.
  "/login/verify",
  ...PAGE_PATHS.filter((path) => path !== "/status"),
  ...readdirSync(inRepository("content", "blog")).map((name) => `/blog/${name.replace(/\.md$/, "")}`),
];

/** The origin that pages were built for. */
const BASE = "http://localhost:3000";

const policyIn = (headers: Headers): string => headers.get("content-security-policy") ?? "";
const nonceIn = (headers: Headers): string | undefined => /'nonce-([\w-]+)'/.exec(policyIn(headers))?.[1];

/** The beginnings of inline scripts that the policy would block. */
const refusedIn = ({ text, headers }: { text: string; headers: Headers }): string[] => {
  const policy = policyIn(headers);
  const inline = [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].filter(
    ([, attributes = ""]) => !/ src=|application\/ld\+json/.test(attributes),
  );
  expect(inline.length).toBeGreaterThan(1);
  const isAllowed = ([, attributes = "", script = ""]: RegExpMatchArray): boolean => {
    const nonce = / nonce="([^"]*)"/.exec(attributes)?.[1];
    if (nonce !== undefined && policy.includes(`'nonce-${nonce}'`)) return true;
    return policy.includes(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  };
  return inline.filter((script) => !isAllowed(script)).map(([whole]) => whole.slice(0, 80));
};

const sizeOf = (headers: Headers): number =>
  [...headers].reduce((size, [name, value]) => size + name.length + value.length + 4, 0);

describe("content security policy of pages (decision 0011)", () => {
  test("static pages list the hashes of their scripts, are the same for everyone, and have small headers", async () => {
    expect(staticPages.map(([path]) => path).sort()).toEqual([...PUBLIC_PATHS].sort());
    for (const [path, { initialRevalidateSeconds }] of staticPages) {
      expect([path, initialRevalidateSeconds]).toEqual([path, false]);
      const answer = await callApp(path);
      expect([path, answer.status, nonceIn(answer.headers)]).toEqual([path, 200, undefined]);
      expect([path, refusedIn(answer)]).toEqual([path, []]);
      expect(sizeOf(answer.headers), path).toBeLessThan(3_000);
      const slashed = await callApp(`${path === "/" ? "" : path}/?from=here`);
      expect([slashed.status, policyIn(slashed.headers)]).toEqual([200, policyIn(answer.headers)]);
    }
  });

  test("an unknown form posted to a static page redirects back without echoing its data", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await callApp("/login?next=%2Fapp", { method: "POST", body: "password=secret", headers });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login?next=%2Fapp"]);
    expect(answer.text).not.toContain("secret");
  });

  test("dynamic pages get a new nonce for each request", async () => {
    const { cookie } = await openSession({ callApp });
    // A file extension must make no difference.
    const linkPaths = [
      "/verify-email/abc",
      "/verify-email/abc.txt",
      "/reset-password/abc.png",
      "/change-email/abc.xml",
      "/unsubscribe/a.b.c",
    ];
    for (const path of ["/app", "/app/generated-posts?status=draft", "/app/no-such-screen", ...linkPaths]) {
      const [item, two] = [
        await callApp(path, { headers: { cookie } }),
        await callApp(path, { headers: { cookie, "content-security-policy": "script-src 'nonce-mine'" } }),
      ];
      expect([path, refusedIn(item), refusedIn(two)]).toEqual([path, [], []]);
      expect(nonceIn(item.headers)).toMatch(/^[\w-]{43}$/);
      expect(nonceIn(item.headers)).not.toBe(nonceIn(two.headers));
      expect(two.text).not.toContain("nonce-mine");
    }
  });

  test.each([
    "/no-such-page",
    "/no/such/page",
    "/app%2f",
    "/%E0%A4%A",
    "/login/more",
    "/_next-door",
    "/blog/no-such-article",
    "/no-such.png",
    "/blog/no-such.xml",
    "/_next/no-such",
  ])(
    "R-404-01 R-404-02 R-404-03 R-404-04 R-ROUTE-16 %s returns 404 with a static page that matches its policy",
    async (path) => {
      const answer = await callApp(path);
      expect([answer.status, refusedIn(answer)]).toEqual([404, []]);
      expect(answer.text).toContain("Lost This Pin");
    },
  );
});

describe("checkout pages (decision 0016)", () => {
  const opener = (headers: Headers) => headers.get("cross-origin-opener-policy");
  const permissions = (headers: Headers) => headers.get("permissions-policy") ?? "";

  test("only they allow the payment provider, its frame and its popups", async () => {
    const { cookie } = await openSession({ callApp });
    for (const path of ["/pricing", "/pricing/", "/upgrade-success", "/upgrade-error", "/app/buy-credits"]) {
      const { headers } = await callApp(path, { headers: { cookie } });
      const [, origin = ""] = /frame-src (http:\/\/127\.0\.0\.1:\d+);/.exec(policyIn(headers)) ?? [];
      expect([path, origin]).toEqual([path, expect.stringContaining("http")]);
      expect(policyIn(headers)).toMatch(new RegExp(`script-src [^;]* ${origin};`));
      expect([path, opener(headers)]).toEqual([path, "same-origin-allow-popups"]);
      expect(permissions(headers)).toContain(`payment=(self "${origin}")`);
    }
    for (const path of ["/", "/login", "/app", "/app/settings", "/app/generated-posts", "/no-such-page"]) {
      const { headers } = await callApp(path, { headers: { cookie } });
      expect([path, policyIn(headers)]).toEqual([path, expect.stringContaining("frame-src 'none'")]);
      expect([path, opener(headers)]).toEqual([path, "same-origin"]);
      expect(permissions(headers)).toContain("payment=()");
    }
  });

  test("other pages can't fetch their content, only load them as documents", async () => {
    const { cookie } = await openSession({ callApp });
    const requestPage = async (path: string, from: string | null) => {
      const headers = { cookie, rsc: "1", "sec-fetch-dest": "empty", ...(from !== null && { referer: from }) };
      const answer = await callApp(path, { headers });
      // Next requests the query that belongs to these headers.
      const location = answer.headers.get("location");
      return location === null ? answer : callApp(location, { headers });
    };
    for (const path of ["/pricing", "/app/buy-credits"]) {
      for (const from of [`${BASE}/app`, `${BASE}/app/settings?x=/pricing`, "nonsense", null]) {
        const { status, text, headers } = await requestPage(path, from);
        expect([path, from, status, text]).toEqual([path, from, 200, ""]);
        expect(headers.get("content-type")).toContain("text/html");
      }
      const among = await requestPage(path, `${BASE}/pricing?from=here`);
      expect([path, among.headers.get("content-type")]).toEqual([path, expect.stringContaining("text/x-component")]);
    }
    const other = await requestPage("/app/settings", `${BASE}/app`);
    expect(other.headers.get("content-type")).toContain("text/x-component");
  });
});

describe("video pages", () => {
  const imagesIn = (headers: Headers) => /img-src ([^;]*);/.exec(policyIn(headers))?.[1];

  test("R-VID-04, R-VID-31 only they allow images from any site, and nothing else", async () => {
    const { cookie } = await openSession({ callApp });
    for (const path of ["/app/videos", "/app/videos/", "/app/saved-videos"]) {
      const { headers } = await callApp(path, { headers: { cookie } });
      expect([path, imagesIn(headers)]).toEqual([path, "'self' data: blob: https:"]);
      expect(policyIn(headers)).toContain("connect-src 'self';");
      expect(policyIn(headers)).toContain("worker-src 'self';");
      expect(policyIn(headers)).not.toMatch(/script-src[^;]*https?:/);
    }
    for (const path of ["/", "/app", "/app/generated-posts"]) {
      const { headers } = await callApp(path, { headers: { cookie } });
      expect([path, imagesIn(headers)]).toEqual([path, "'self' data: blob:"]);
    }
  });

  test("other pages can't fetch their content, but they can fetch each other's", async () => {
    const { cookie } = await openSession({ callApp });
    const requestPage = async (path: string, from: string) => {
      const headers = { cookie, rsc: "1", "sec-fetch-dest": "empty", referer: `${BASE}${from}` };
      const answer = await callApp(path, { headers });
      const location = answer.headers.get("location");
      return location === null ? answer : callApp(location, { headers });
    };
    for (const from of ["/app", "/app/buy-credits"]) {
      const { status, text } = await requestPage("/app/videos", from);
      expect([from, status, text]).toEqual([from, 200, ""]);
    }
    const among = await requestPage("/app/saved-videos", "/app/videos");
    expect(among.headers.get("content-type")).toContain("text/x-component");
    expect((await requestPage("/app/buy-credits", "/app/videos")).text).toBe("");
    // A document loaded for one of them marks its requests; the mark has no effect on other pages.
    const back = await requestPage("/app/videos?same-document=1", "/app/settings");
    expect(back.headers.get("content-type")).toContain("text/x-component");
    expect((await requestPage("/app/buy-credits?same-document=1", "/app/videos")).text).toBe("");
  });

  test("A-03, R-ROUTE-26 /extract-tiktok redirects to the extractor, which requires a login, as saved videos do", async () => {
    for (const path of ["/extract-tiktok", "/extract-tiktok/"]) {
      const { status, headers } = await callApp(path);
      expect([path, status, headers.get("location")]).toEqual([path, 307, "/app/videos"]);
    }
    for (const path of ["/app/videos", "/app/saved-videos"]) {
      const { status, headers } = await callApp(path);
      const login = `/login?next=${encodeURIComponent(path)}`;
      expect([status, headers.get("location")]).toEqual([307, expect.stringContaining(login)]);
    }
  });
});

describe("an app with default settings", () => {
  const app = appForFile({});
  const sql = databaseAt(() => app().databaseUrl);

  test("without METRICS_TOKEN the metrics are not found", async () => {
    for (const headers of [{}, bearer(""), bearer("undefined")]) {
      const { status, json } = await app().callApp("/api/metrics/", { headers });
      expect([status, json]).toEqual([404, errorBody("not_found")]);
    }
  });

  test("while the database is down, a failed page returns 500 with all headers, and static pages still work", async () => {
    const { cookie } = await openSession(app());
    await sql()`alter table users rename to users_away`;
    const answer = await app().callApp("/app", { headers: { cookie } });
    expect([answer.status, refusedIn(answer)]).toEqual([500, []]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.text).not.toContain("users_away");
    expect((await app().callApp("/login")).status).toBe(200);
  });
});
