import type { NextConfig } from "next";

/** The bare Next app that the product's pages are measured beside; never part of the product. */
const config: NextConfig = {
  distDir: ".next-floor",
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  typescript: { ignoreBuildErrors: true },
  // The packages stand in the repository's folder, four floors up.
  outputFileTracingRoot: new URL("../../../..", import.meta.url).pathname,
};

export default config;
