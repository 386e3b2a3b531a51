import "server-only";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const FOLDER = join(process.cwd(), "content", "blog");
const WORDS_PER_MINUTE = 220;
const FILE = /^---\n(?<head>[\s\S]*?)\n---\n(?<body>[\s\S]+)$/;
const date = z.iso.date();

/** What stands above an article, as its file gives it. `pins` names pictures of public/pins, for its wall. */
const frontMatter = z.strictObject({
  title: z.string().min(10).max(60),
  description: z.string().min(70).max(160),
  published: date,
  updated: date.optional(),
  topic: z.string().min(3).max(30),
  pins: z
    .array(z.string().regex(/^[a-z]+$/))
    .min(3)
    .max(5),
});

/** An article of the blog (A-85). Dates are days, `YYYY-MM-DD`; `body` is Markdown with slots like `{product}`. */
export type Article = {
  slug: string;
  title: string;
  description: string;
  publishedAt: string;
  updatedAt?: string;
  topic: string;
  pins: readonly string[];
  /** Whole minutes of reading. */
  minutes: number;
  /** Second-level headings; their slots are filled on the page, and their ids made of what is read. */
  headings: readonly string[];
  body: string;
};

/**
 * Reads an article from the text of its file.
 * @throws Error or ZodError when the front matter is not as it should be
 */
export const parseArticle = (slug: string, text: string): Article => {
  const { head, body } = FILE.exec(text)?.groups ?? {};
  if (head === undefined || body === undefined)
    throw new Error(`The article ${slug} does not begin with front matter.`);
  // YAML reads a bare date as text with this schema, not as a moment in some zone.
  const { published, updated, ...rest } = frontMatter.parse(parse(head, { schema: "core" }));
  const headings = [...body.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  const minutes = Math.max(1, Math.round(wordsIn(body) / WORDS_PER_MINUTE));
  return { slug, ...rest, publishedAt: published, ...(updated && { updatedAt: updated }), minutes, headings, body };
};

/** Words of running text. */
export const wordsIn = (body: string): number => body.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu)?.length ?? 0;

/** Every article, newest first; those of one day by their address. */
export const listArticles = async (): Promise<Article[]> => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).sort();
  const articles = await Promise.all(
    names.map(async (name) => parseArticle(name.replace(/\.md$/, ""), await readFile(join(FOLDER, name), "utf8"))),
  );
  return articles.sort((one, other) => other.publishedAt.localeCompare(one.publishedAt));
};

/** The article at an address, or null. */
export const findArticle = async (slug: string): Promise<Article | null> =>
  (await listArticles()).find((article) => article.slug === slug) ?? null;

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
