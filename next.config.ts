import type { NextConfig } from "next";
import { securityHeaders } from "./lib/core/security-headers.ts";

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
  // Written by a build for the next one, which takes a third of its own time; `scripts/build.ts` says when.
  experimental: { turbopackFileSystemCacheForBuild: process.env.NEXT_BUILD_CACHE === "1" },
  images: { unoptimized: true },
  // Another name of the extractor; the gate then asks for the login as everywhere.
  redirects: async () => [{ source: "/extract-tiktok", destination: "/app/videos", permanent: false }],
  headers: async () => [
    { source: "/:path*", headers: toList(securityHeaders(process.env.APP_URL ?? "")) },
    // Whether an answer may be read elsewhere depends on who asks; `proxy.ts` says who may.
    { source: "/api/:path*", headers: toList({ Vary: "Origin" }) },
    { source: "/:folder(pins|posters|screens)/:name*", headers: toList(kept) },
    // A face's name changes with its content.
    { source: "/fonts/:name*", headers: toList({ "Cache-Control": "public, max-age=31536000, immutable" }) },
    { source: "/:icon(icon.svg|apple-icon.png)", headers: toList(kept) },
  ],
};

export default config;
