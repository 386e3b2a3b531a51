import type { NextConfig } from "next";
import { securityHeaders } from "./lib/core/security-headers.ts";

/** Generated images keep their names: cached for a month, then shown while a new one is fetched. */
const longCache = { "Cache-Control": "public, max-age=2592000, stale-while-revalidate=31536000" };

const toList = (headers: Record<string, string>) => Object.entries(headers).map(([key, value]) => ({ key, value }));

const config: NextConfig = {
  // Tests build into their own folder, so that a running instance is not disturbed.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  skipTrailingSlashRedirect: true,
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked by `npm test`. Next would rewrite a tsconfig for each build folder unless it extends another.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "tsconfig.build.json" },
  serverExternalPackages: [
    "@node-rs/argon2",
    "@simplewebauthn/server",
    "openid-client",
    "@napi-rs/canvas",
    "sharp",
    "eld",
    "inngest",
    "postgres",
    "nodemailer",
    "prom-client",
  ],
  // Speeds up the next build, but takes a third of this one's time; `scripts/build.ts` decides.
  experimental: { turbopackFileSystemCacheForBuild: process.env.NEXT_BUILD_CACHE === "1" },
  images: { unoptimized: true },
  // Alias of the extractor; signing in is required there as everywhere.
  redirects: async () => [{ source: "/extract-tiktok", destination: "/app/videos", permanent: false }],
  headers: async () => [
    { source: "/:path*", headers: toList(securityHeaders(process.env.APP_URL ?? "")) },
    // CORS headers depend on the origin, see `proxy.ts`.
    { source: "/api/:path*", headers: toList({ Vary: "Origin" }) },
    { source: "/:folder(pins|posters|screens)/:name*", headers: toList(longCache) },
    // Font file names change with their content.
    { source: "/fonts/:name*", headers: toList({ "Cache-Control": "public, max-age=31536000, immutable" }) },
    { source: "/:icon(icon.svg|apple-icon.png)", headers: toList(longCache) },
  ],
};

export default config;
