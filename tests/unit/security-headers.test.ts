import { afterEach, expect, test, vi } from "vitest";
import { adPixelUrl } from "#lib/core/ad-pixel.ts";
import {
  checkoutHeaders,
  checkoutSources,
  contentPolicy,
  isCheckoutPage,
  securityHeaders,
} from "#lib/core/security-headers.ts";
import { isVideoPage } from "#lib/core/video-pages.ts";
import { parsePageEnv } from "#lib/env.ts";
import { hashesIn } from "#lib/server/page-policy.ts";
import config from "../../next.config.ts";

afterEach(() => vi.unstubAllEnvs());

test("only https origins send HSTS", async () => {
  expect(securityHeaders("https://pins.example.com")["Strict-Transport-Security"]).toBe("max-age=31536000");
  expect(securityHeaders("http://localhost:3000")).not.toHaveProperty("Strict-Transport-Security");
  vi.stubEnv("APP_URL", "https://pins.example.com");
  const [everywhere] = (await config.headers?.()) ?? [];
  expect(everywhere?.source).toBe("/:path*");
  expect(everywhere?.headers.map(({ key }) => key)).toContain("Strict-Transport-Security");
});

test("a policy contains the given sources in the right directives", () => {
  const policy = contentPolicy({ scripts: ["'nonce-a'"], images: ["https://pictures.example"], connections: ["ws:"] });
  expect(policy).toContain("script-src 'self' 'nonce-a';");
  expect(policy).toContain("img-src 'self' data: blob: https://pictures.example;");
  expect(policy).toContain("connect-src 'self' ws:;");
  expect(contentPolicy()).toContain("script-src 'self';");
  expect(contentPolicy()).toContain("img-src 'self' data: blob:;");
});

test("R-VID-31 workers are our own files only, on every page", () => {
  expect(contentPolicy({ scripts: ["'nonce-a'"] })).toContain("worker-src 'self';");
});

test("R-VID-04 only the two video pages allow images from any site", () => {
  const yes = ["/app/videos", "/app/videos/", "/app/saved-videos"];
  const no = ["/", "/app", "/app/videos/1", "/app/videos-old", "/extract-tiktok", "/app/saved-videos/x"];
  expect(yes.map(isVideoPage)).toEqual(yes.map(() => true));
  expect(no.map(isVideoPage)).toEqual(no.map(() => false));
});

test("third-party frames and styles are allowed only where named", () => {
  expect(contentPolicy()).toContain("frame-src 'none';");
  const policy = contentPolicy({ frames: ["https://pay.example"], styles: ["https://styles.example"] });
  expect(policy).toContain("frame-src https://pay.example;");
  expect(policy).toContain("style-src 'self' 'unsafe-inline' https://styles.example;");
});

test("decision 0016 checkout pages match exactly, with or without a slash", () => {
  const yes = ["/pricing", "/pricing/", "/upgrade-success", "/upgrade-error", "/app/buy-credits", "/app/buy-credits/"];
  const no = ["/", "/app", "/pricing/x", "/pricing-old", "/app/settings", "/app/buy-credits/history", "/x/pricing"];
  expect(yes.map(isCheckoutPage)).toEqual(yes.map(() => true));
  expect(no.map(isCheckoutPage)).toEqual(no.map(() => false));
});

test("decision 0016 checkout sources are those of the environment or of the stand-in", () => {
  const live = contentPolicy(checkoutSources({ environment: "production", scriptUrl: null }));
  expect(live).toContain("script-src 'self' https://cdn.paddle.com;");
  expect(live).toContain("frame-src https://buy.paddle.com;");
  expect(live).toContain("connect-src 'self' https://checkout-service.paddle.com");
  expect(live).not.toContain("sandbox");
  const sandbox = contentPolicy(checkoutSources({ environment: "sandbox", scriptUrl: null }));
  expect(sandbox).toContain("script-src 'self' https://cdn.paddle.com");
  expect(sandbox).toContain("frame-src https://sandbox-buy.paddle.com");
  expect(sandbox).not.toContain("https://buy.paddle.com");
  const played = contentPolicy(
    checkoutSources({ environment: "sandbox", scriptUrl: "http://127.0.0.1:3104/paddle.js" }),
  );
  expect(played).not.toContain("paddle.com");
  expect(played).toContain("frame-src http://127.0.0.1:3104;");
  expect(played).toContain("connect-src 'self' http://127.0.0.1:3104;");
});

test("decision 0016 no wildcards or inline scripts, and only https sources", () => {
  for (const environment of ["production", "sandbox"] as const) {
    const origins = Object.values(checkoutSources({ environment, scriptUrl: null })).flat();
    for (const origin of origins) expect(origin).toMatch(/^https:\/\/[a-z-]+\.paddle\.com$/);
    expect(checkoutHeaders({ environment, scriptUrl: null })).toEqual({
      "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
      "Permissions-Policy": expect.stringMatching(/payment=\(self "https:\/\/(sandbox-)?buy\.paddle\.com"\)/),
    });
  }
  expect(securityHeaders("http://localhost:3000")["Permissions-Policy"]).toContain("payment=()");
  expect(securityHeaders("http://localhost:3000")["Cross-Origin-Opener-Policy"]).toBe("same-origin");
});

test("every inline script is hashed once; data blocks and files are not", () => {
  expect(hashesIn("<p><script>alert(1)</script><script>alert(1)</script></p>")).toHaveLength(1);
  expect(hashesIn('<script id="a" type="module">alert(1)</script>')).toEqual(hashesIn("<script>alert(1)</script>"));
  expect(hashesIn('<script src="/a.js" async=""></script><script type="application/ld+json">{}</script>')).toEqual([]);
  // The example of the specification (CSP Level 3, 2.3.1).
  expect(hashesIn("<script>alert('Hello, world.');</script>")).toEqual([
    "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='",
  ]);
});

test("A-60 the pixel's URL contains only the id, the event and the time", () => {
  const address = new URL(adPixelUrl("123456789012345", "PageView", 1_790_000_000_000));
  expect([address.origin, address.pathname]).toEqual(["https://www.facebook.com", "/tr/"]);
  expect([...address.searchParams]).toEqual([
    ["id", "123456789012345"],
    ["ev", "PageView"],
    ["noscript", "1"],
    ["ts", "1790000000000"],
  ]);
});

test("A-01 A-40 building pages needs no secrets", () => {
  const page = parsePageEnv({ APP_URL: "https://pins.example.com/", AD_PIXEL_ID: "" });
  expect(page).toMatchObject({ APP_URL: "https://pins.example.com", PRODUCT_NAME: "Evertack" });
  expect(page.AD_PIXEL_ID).toBeUndefined();
  expect(() => parsePageEnv({ APP_URL: "https://pins.example.com", AD_PIXEL_ID: "<script>" })).toThrow("AD_PIXEL_ID");
  expect(() => parsePageEnv({})).toThrow("APP_URL");
});
