import "server-only";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const FOLDER = join(process.cwd(), "content", "blog");
const WORDS_PER_MINUTE = 220;
const FILE = /^---\n(?<head>[\s\S]*?)\n---\n(?<body>[\s\S]+)$/;
const date = z.iso.date();

/** `pins` names images in public/pins. */
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

/** Dates are `YYYY-MM-DD`; `body` is Markdown with placeholders like `{product}`. */
export type Article = {
  slug: string;
  title: string;
  description: string;
  publishedAt: string;
  updatedAt?: string;
  topic: string;
  pins: readonly string[];
  minutes: number;
  /** Second level, with placeholders. */
  headings: readonly string[];
  body: string;
};

/** @throws Error or ZodError when the front matter is invalid */
export const parseArticle = (slug: string, text: string): Article => {
  const { head, body } = FILE.exec(text)?.groups ?? {};
  if (head === undefined || body === undefined)
    throw new Error(`The article ${slug} does not begin with front matter.`);
  // The core schema keeps bare dates as text.
  const { published, updated, ...rest } = frontMatter.parse(parse(head, { schema: "core" }));
  const headings = [...body.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  const minutes = Math.max(1, Math.round(wordsIn(body) / WORDS_PER_MINUTE));
  return { slug, ...rest, publishedAt: published, ...(updated && { updatedAt: updated }), minutes, headings, body };
};

export const wordsIn = (body: string): number => body.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu)?.length ?? 0;

export const listArticles = async (): Promise<Article[]> => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).sort();
  const articles = await Promise.all(
    names.map(async (name) => parseArticle(name.replace(/\.md$/, ""), await readFile(join(FOLDER, name), "utf8"))),
  );
  return articles.sort((one, other) => other.publishedAt.localeCompare(one.publishedAt));
};

export const findArticle = async (slug: string): Promise<Article | null> =>
  (await listArticles()).find((article) => article.slug === slug) ?? null;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

type Feed = { name: string; appUrl: string; articles: readonly Article[] };
type FeedItem = Pick<Article, "slug" | "title" | "description" | "publishedAt" | "topic">;

const itemOf = (appUrl: string, { slug, title, description, publishedAt, topic }: FeedItem): string => {
  const url = escapeXml(new URL(`/blog/${slug}`, appUrl).href);
  return `    <item>
      <title>${escapeXml(title)}</title>
      <link>${url}</link>
      <guid isPermaLink="true">${url}</guid>
      <pubDate>${new Date(`${publishedAt}T09:00:00Z`).toUTCString()}</pubDate>
      <category>${escapeXml(topic)}</category>
      <description>${escapeXml(description)}</description>
    </item>`;
};

/** Publication times are set to 09:00 UTC. */
export const writeFeed = ({ name, appUrl, articles }: Feed): string => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>${escapeXml(`${name} blog`)}</title>
    <link>${escapeXml(new URL("/blog", appUrl).href)}</link>
    <description>Pin design, copy, timing, and honest numbers for Pinterest creators.</description>
    <language>en</language>
    <atom:link href="${escapeXml(new URL("/blog/rss.xml", appUrl).href)}" rel="self" type="application/rss+xml"/>
${articles.map((article) => itemOf(appUrl, article)).join("\n")}
  </channel>
</rss>
`;
