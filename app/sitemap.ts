import type { MetadataRoute } from "next";
import { PAGE_PATHS, wordsOf } from "#components/site/page-words.ts";
import { listArticles } from "#lib/server/articles.ts";
import { productFacts } from "./facts.ts";

/** Every page that search engines may show; of articles also when they last changed. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const { name, appUrl } = await productFacts();
  const pages = PAGE_PATHS.filter((path) => wordsOf(path, name).isIndexed !== false);
  const articles = await listArticles();
  return [
    ...pages.map((path) => ({ url: appUrl + path })),
    ...articles.map(({ slug, publishedAt, updatedAt = publishedAt }) => ({
      url: `${appUrl}/blog/${slug}`,
      lastModified: updatedAt,
    })),
  ];
}
