import type { MetadataRoute } from "next";
import { productFacts } from "./facts.ts";

/** Allows public pages and blocks `/app`, but not `/apple-icon.png`. */
export default async function robots(): Promise<MetadataRoute.Robots> {
  const { appUrl } = await productFacts();
  return {
    rules: { userAgent: "*", allow: "/", disallow: ["/api/", "/app$", "/app/"] },
    sitemap: `${appUrl}/sitemap.xml`,
  };
}
