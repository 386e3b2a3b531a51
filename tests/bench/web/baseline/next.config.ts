import type { NextConfig } from "next";

/** The bare Next app that the product's pages are compared with; never part of the product. */
const config: NextConfig = {
  distDir: ".next-baseline",
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  typescript: { ignoreBuildErrors: true },
  // The packages are in the repository's root, four folders up.
  outputFileTracingRoot: new URL("../../../..", import.meta.url).pathname,
};

export default config;
