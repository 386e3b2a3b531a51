import { listArticles, writeFeed } from "#lib/server/articles.ts";
import { productFacts } from "../../../facts.ts";

export const dynamic = "force-static";

/** The articles as an RSS 2.0 feed. */
export async function GET(): Promise<Response> {
  const [{ name, appUrl }, articles] = await Promise.all([productFacts(), listArticles()]);
  return new Response(writeFeed({ name, appUrl, articles }), {
    headers: { "Content-Type": "application/rss+xml; charset=utf-8" },
  });
}
