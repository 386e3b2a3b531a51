import type { NextConfig } from "next";

const config: NextConfig = {
  // Tests build into a folder of their own, so that a running instance is not disturbed.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  skipTrailingSlashRedirect: true,
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are a suite of `npm test`. Next rewrites a tsconfig that extends no other for each folder it builds into.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "tsconfig.build.json" },
  serverExternalPackages: ["@node-rs/argon2", "@napi-rs/canvas", "sharp", "inngest", "postgres", "nodemailer"],
  images: { unoptimized: true },
};

export default config;
