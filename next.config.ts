import type { NextConfig } from "next";

/** What holds for every answer. A policy for scripts and styles is not among it yet. */
const everywhere = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'self'; object-src 'none'; form-action 'self'",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), browsing-topics=()",
};

/** Drawn once and kept under its name: a month, and then shown again while a new one is fetched. */
const kept = { "Cache-Control": "public, max-age=2592000, stale-while-revalidate=31536000" };

const toList = (headers: Record<string, string>) => Object.entries(headers).map(([key, value]) => ({ key, value }));

const config: NextConfig = {
  // Tests build into a folder of their own, so that a running instance is not disturbed.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  skipTrailingSlashRedirect: true,
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are a suite of `npm test`. Next rewrites a tsconfig that extends no other for each folder it builds into.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "tsconfig.build.json" },
  serverExternalPackages: [
    "@node-rs/argon2",
    "@napi-rs/canvas",
    "sharp",
    "inngest",
    "postgres",
    "nodemailer",
    "prom-client",
  ],
  images: { unoptimized: true },
  headers: async () => [
    { source: "/:path*", headers: toList(everywhere) },
    // Whether an answer may be read elsewhere depends on who asks; `proxy.ts` says who may.
    { source: "/api/:path*", headers: toList({ Vary: "Origin" }) },
    { source: "/posters/:name*", headers: toList(kept) },
    { source: "/:icon(icon.svg|apple-icon.png)", headers: toList(kept) },
  ],
};

export default config;
