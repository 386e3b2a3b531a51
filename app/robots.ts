import type { MetadataRoute } from "next";
import { productFacts } from "./facts.ts";

/** Search engines read what is public. `/app` itself is closed to them, `/apple-icon.png` is not. */
export default async function robots(): Promise<MetadataRoute.Robots> {
  const { appUrl } = await productFacts();
  return {
    rules: { userAgent: "*", allow: "/", disallow: ["/api/", "/app$", "/app/"] },
    sitemap: `${appUrl}/sitemap.xml`,
  };
}
