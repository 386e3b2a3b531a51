import "server-only";
import type { Article } from "./articles.ts";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

type Feed = { name: string; appUrl: string; articles: readonly Article[] };
type FeedItem = Pick<Article, "slug" | "title" | "description" | "publishedAt" | "topic">;

const itemOf = (appUrl: string, { slug, title, description, publishedAt, topic }: FeedItem): string => {
  const address = escapeXml(new URL(`/blog/${slug}`, appUrl).href);
  return `    <item>
      <title>${escapeXml(title)}</title>
      <link>${address}</link>
      <guid isPermaLink="true">${address}</guid>
      <pubDate>${new Date(`${publishedAt}T09:00:00Z`).toUTCString()}</pubDate>
      <category>${escapeXml(topic)}</category>
      <description>${escapeXml(description)}</description>
    </item>`;
};

/** Articles as an RSS 2.0 document, with its own address as the Atom extension asks. Days begin at nine, UTC. */
export const writeFeed = ({ name, appUrl, articles }: Feed): string => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>${escapeXml(`${name} blog`)}</title>
    <link>${escapeXml(new URL("/blog", appUrl).href)}</link>
    <description>Shapes, words, hours and honesty, for people who pin.</description>
    <language>en</language>
    <atom:link href="${escapeXml(new URL("/blog/rss.xml", appUrl).href)}" rel="self" type="application/rss+xml"/>
${articles.map((article) => itemOf(appUrl, article)).join("\n")}
  </channel>
</rss>
`;
