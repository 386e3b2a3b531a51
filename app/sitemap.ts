import type { MetadataRoute } from "next";
import { PAGE_PATHS, pageCopyOf } from "#components/site/page-copy.ts";
import { listArticles } from "#lib/server/articles.ts";
import { productFacts } from "./facts.ts";

/** Lists all indexed pages, and articles with their last change. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const { name, appUrl } = await productFacts();
  const pages = PAGE_PATHS.filter((path) => pageCopyOf(path, name).isIndexed !== false);
  const articles = await listArticles();
  return [
    ...pages.map((path) => ({ url: appUrl + path })),
    ...articles.map(({ slug, publishedAt, updatedAt = publishedAt }) => ({
      url: `${appUrl}/blog/${slug}`,
      lastModified: updatedAt,
    })),
  ];
}
