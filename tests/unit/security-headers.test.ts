import { afterEach, expect, test, vi } from "vitest";
import { adPixelAddress } from "#lib/core/ad-pixel.ts";
import { contentPolicy, securityHeaders } from "#lib/core/security-headers.ts";
import { parsePageEnv } from "#lib/env.ts";
import { hashesIn } from "#lib/server/built-pages.ts";
import config from "../../next.config.ts";

afterEach(() => vi.unstubAllEnvs());

test("QUALITY row 18 an https origin asks browsers to stay there, another does not", async () => {
  expect(securityHeaders("https://pins.example.com")["Strict-Transport-Security"]).toBe("max-age=31536000");
  expect(securityHeaders("http://localhost:3000")).not.toHaveProperty("Strict-Transport-Security");
  vi.stubEnv("APP_URL", "https://pins.example.com");
  const [everywhere] = (await config.headers?.()) ?? [];
  expect(everywhere?.source).toBe("/:path*");
  expect(everywhere?.headers.map(({ key }) => key)).toContain("Strict-Transport-Security");
});

test("QUALITY row 18 a policy adds what it is given, where it belongs", () => {
  const policy = contentPolicy({ scripts: ["'nonce-a'"], images: ["https://pictures.example"], connections: ["ws:"] });
  expect(policy).toContain("script-src 'self' 'nonce-a';");
  expect(policy).toContain("img-src 'self' data: blob: https://pictures.example;");
  expect(policy).toContain("connect-src 'self' ws:;");
  expect(contentPolicy()).toContain("script-src 'self';");
});

test("QUALITY row 18 every script that runs inline is hashed once; data blocks and files are not", () => {
  expect(hashesIn("<p><script>alert(1)</script><script>alert(1)</script></p>")).toHaveLength(1);
  expect(hashesIn('<script id="a" type="module">alert(1)</script>')).toEqual(hashesIn("<script>alert(1)</script>"));
  expect(hashesIn('<script src="/a.js" async=""></script><script type="application/ld+json">{}</script>')).toEqual([]);
  // The example of the specification (CSP Level 3, 2.3.1).
  expect(hashesIn("<script>alert('Hello, world.');</script>")).toEqual([
    "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='",
  ]);
});

test("A-60 the pixel's address holds the id, the event and the time, and nothing else", () => {
  const address = new URL(adPixelAddress("123456789012345", "PageView", 1_790_000_000_000));
  expect([address.origin, address.pathname]).toEqual(["https://www.facebook.com", "/tr/"]);
  expect([...address.searchParams]).toEqual([
    ["id", "123456789012345"],
    ["ev", "PageView"],
    ["noscript", "1"],
    ["ts", "1790000000000"],
  ]);
});

test("A-01 A-40 pages are built from what they show, and ask for no secret", () => {
  const page = parsePageEnv({ APP_URL: "https://pins.example.com/", AD_PIXEL_ID: "" });
  expect(page).toMatchObject({ APP_URL: "https://pins.example.com", PRODUCT_NAME: "Evertack" });
  expect(page.AD_PIXEL_ID).toBeUndefined();
  expect(() => parsePageEnv({ APP_URL: "https://pins.example.com", AD_PIXEL_ID: "<script>" })).toThrow("AD_PIXEL_ID");
  expect(() => parsePageEnv({})).toThrow("APP_URL");
});
