import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fillSlots, slugOf } from "#lib/core/text.ts";
import { listArticles, parseArticle, wordsIn, writeFeed } from "#lib/server/articles.ts";
import { inRepository } from "#scripts/root.ts";

const articles = await listArticles();
const SLOTS = { product: "Somename", free_credits: "5" };

const HEAD = `---
title: "A title that is long enough"
description: "A description that says in seventy characters or more what the article is about."
published: 2026-11-20
topic: Testing
pins: [one, two, three]
---
`;

describe("A-85 articles in the repository", () => {
  test("there are at least four articles, newest first, with readable slugs", () => {
    expect(articles.length).toBeGreaterThanOrEqual(4);
    const days = articles.map(({ publishedAt }) => publishedAt);
    expect(days).toEqual([...days].sort().reverse());
    expect(articles.filter(({ slug }) => slug !== slugOf(slug))).toEqual([]);
  });

  test.each(articles)("$slug has 900 words, headings and a correct reading time", (article) => {
    expect(wordsIn(article.body)).toBeGreaterThanOrEqual(900);
    expect(article.headings.length).toBeGreaterThanOrEqual(4);
    expect(new Set(article.headings.map(slugOf)).size).toBe(article.headings.length);
    expect(Math.abs(article.minutes * 220 - wordsIn(article.body))).toBeLessThanOrEqual(110);
  });

  test.each(articles)("$slug shows existing pins in both formats", ({ pins }) => {
    const files = pins.flatMap((pin) => [`${pin}-240.avif`, `${pin}-480.avif`, `${pin}-480.webp`]);
    expect(files.filter((file) => !existsSync(inRepository("public", "pins", file)))).toEqual([]);
  });

  test.each(articles)("A-01 $slug uses the product slot, no unknown slot, and no markup", (article) => {
    const whole = [article.title, article.description, article.body].join("\n");
    expect(whole).not.toMatch(/evertack/i);
    expect(fillSlots(article.body, SLOTS)).not.toMatch(/[{}]/);
    expect(article.title + article.description).not.toMatch(/[{}]/);
    expect(article.body).not.toMatch(/<[a-z!/]/i);
  });

  test.each(articles)("$slug links to articles that exist", ({ body }) => {
    const linked = [...body.matchAll(/\]\(\/blog\/([a-z-]+)\)/g)].map(([, slug]) => slug);
    const known = new Set(articles.map(({ slug }) => slug));
    expect(linked.filter((slug) => !slug || !known.has(slug))).toEqual([]);
  });
});

describe("parseArticle", () => {
  test("reads front matter and headings", () => {
    const article = parseArticle("a-b", `${HEAD}Text.\n\n## One thing\n\nMore.\n\n### Not this\n\n## And another`);
    expect(article).toMatchObject({
      slug: "a-b",
      publishedAt: "2026-11-20",
      minutes: 1,
      pins: ["one", "two", "three"],
    });
    expect(article.headings).toEqual(["One thing", "And another"]);
  });

  test.each([
    ["no front matter", "Text alone."],
    ["a title too long for a result", `${HEAD.replace("long enough", "long ".repeat(20))}Text.`],
    ["an invalid date", `${HEAD.replace("2026-11-20", "2026-13-20")}Text.`],
    ["an unknown key", `${HEAD.replace("topic:", "author: Someone\ntopic:")}Text.`],
  ])("refuses %s", (_, text) => {
    expect(() => parseArticle("a", text)).toThrow();
  });

  test("an unknown slot throws", () => {
    expect(() => fillSlots("from {nowhere}", SLOTS)).toThrow("{nowhere}");
  });
});

describe("A-85 the feed", () => {
  const feed = writeFeed({ name: "Pins & <Co>", appUrl: "https://example.com", articles });

  test("contains every article with its full URL and date", () => {
    for (const { slug } of articles) expect(feed).toContain(`<link>https://example.com/blog/${slug}</link>`);
    expect(feed.match(/<pubDate>\w{3}, \d{2} \w{3} \d{4} 09:00:00 GMT<\/pubDate>/g)).toHaveLength(articles.length);
  });

  test("escapes names and titles", () => {
    expect(feed).toContain("<title>Pins &amp; &lt;Co&gt; blog</title>");
    expect(feed).not.toMatch(/&(?!amp;|lt;|gt;|quot;|apos;)/);
  });
});

describe("images of the public pages", () => {
  const sizeOf = (folder: string, file: string): number =>
    readFileSync(inRepository("public", folder, file)).byteLength;

  test("every pin has both widths and formats, and small files", () => {
    const files = readdirSync(inRepository("public", "pins"));
    const names = new Set(files.map((file) => file.replace(/-\d+\.\w+$/, "")));
    for (const name of names) {
      expect(files).toEqual(expect.arrayContaining([`${name}-240.avif`, `${name}-480.avif`, `${name}-480.webp`]));
    }
    expect(files.filter((file) => sizeOf("pins", file) > 40_000)).toEqual([]);
  });

  test("every screenshot has a light and a dark version", () => {
    const files = readdirSync(inRepository("public", "screens"));
    const light = files.filter((file) => file.includes("-light-"));
    expect(light.length).toBeGreaterThan(0);
    expect(light.filter((file) => !files.includes(file.replace("-light-", "-dark-")))).toEqual([]);
    expect(files.filter((file) => sizeOf("screens", file) > 150_000)).toEqual([]);
  });
});
