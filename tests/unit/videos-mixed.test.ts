import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";

const ID = "763869554322251914";
const dataOf = (...authors: string[]): string => {
  const items = authors.map((author, n) => [n, { id: `${ID}${n}`, desc: "Soup", createTime: 1_700_000_000, author }]);
  return `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: Object.fromEntries(items) })}</script>`;
};
const card = (item: string, author: string, n: number): string =>
  `<div><div data-e2e="${item}"><a href="/@${author}/video/${ID}${n}"><img alt="Soup" src="/a.jpeg"></a></div></div>`;
const canonical = (n: number): string => `<link rel="canonical" href="https://www.tiktok.com/@ann/video/${ID}${n}">`;
const found = (html: string): string[] => extract(html).videos.map(({ video_url }) => video_url.slice(-1));
const notShown = (html: string): number =>
  extract(html).skipped.find(({ reason }) => reason === "not-shown")?.count ?? 0;

describe("data left over from the page before", () => {
  test("R-VID-22 a list with one video in common does not get the others", () => {
    for (const item of ["search_video-item", "challenge-item", "explore-item"]) {
      const html = pageOf(dataOf("ann", "ann", "ann") + card(item, "ann", 0));
      expect(found(html), item).toEqual(["0"]);
      expect(notShown(html), item).toBe(2);
    }
  });

  test("R-VID-22 a profile only gets other videos of its author", () => {
    const html = pageOf(dataOf("ann", "Ann", "bob") + card("user-post-item", "ann", 0));
    expect(found(html)).toEqual(["0", "1"]);
    expect(notShown(html)).toBe(1);
  });

  test("R-VID-22 a profile with several authors gets none", () => {
    const cards = card("user-post-item", "ann", 0) + card("user-post-item", "bob", 9);
    expect(found(pageOf(dataOf("ann", "ann") + cards))).toEqual(["0", "9"]);
  });

  test("R-VID-22 the video named in the head belongs to no list and no other video", () => {
    const list = card("challenge-item", "ann", 9);
    expect(found(pageOf(dataOf("ann", "ann") + list, canonical(1)))).toEqual(["9"]);
    const watched = '<p data-e2e="browse-username">zoe</p><p data-e2e="browse-video-desc">Bread</p>';
    expect(found(pageOf(dataOf("ann") + watched, canonical(0)))).toEqual([]);
  });

  test("R-VID-22 the video named in the head is read from the data on an unknown page", () => {
    const related = `<a href="/@bob/video/${ID}9"><img alt="Related" src="/a.jpeg"></a>`;
    expect(found(pageOf(dataOf("ann", "ann") + related, canonical(1)))).toEqual(["9", "1"]);
  });

  test("R-VID-22 truncated hashtags of a list are not added to those of the data", () => {
    const item = { id: `${ID}0`, desc: "Soup #slowfood", createTime: 1_700_000_000, author: "ann" };
    const data = `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { 0: item } })}</script>`;
    const cut = card("user-post-item", "ann", 0).replace('alt="Soup"', 'alt="Soup #slowf"');
    expect(extract(pageOf(data + cut)).videos).toMatchObject([
      { title: "Soup #slowfood", hashtags: ["slowfood"], sources: { hashtags: "json" } },
    ]);
    // Fields missing from the data are read from the page.
    const bare = data.replace(" #slowfood", "");
    expect(extract(pageOf(bare + cut)).videos).toMatchObject([{ hashtags: ["slowf"], sources: { hashtags: "alt" } }]);
  });

  test("R-VID-22 hashtags that only the card links follow those of the data", () => {
    const item = { id: `${ID}0`, desc: "Soup #slowfood #café", createTime: 1_700_000_000, author: "ann" };
    const data = `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { 0: item } })}</script>`;
    const link = (tag: string) =>
      `<a href="/tag/${encodeURIComponent(tag.toLowerCase())}"><strong>#${tag}</strong></a>`;
    const shown = (caption: string) =>
      `<div>${card("search_video-item", "ann", 0)}<div data-e2e="search-card-desc">` +
      `<div data-e2e="search-card-video-caption">${caption}</div></div></div>`;
    const tagsOf = (caption: string) => extract(pageOf(data + shown(caption))).videos.map(({ hashtags }) => hashtags);
    expect(tagsOf(`Soup ${link("SlowFood")} ${link("Dinner")}`)).toEqual([["slowfood", "café", "Dinner"]]);
    expect(tagsOf(`Soup ${link("dinner")} #slowf`)).toEqual([["slowfood", "café", "dinner"]]);
    expect(tagsOf(`Soup ${link("Café")} ${link("SLOWFOOD")} #slowf`)).toEqual([["slowfood", "café"]]);
    const beside = card("search_video-item", "ann", 0).replace("</a>", `</a>${link("slowfood")}${link("Dinner")}`);
    expect(extract(pageOf(data + beside)).videos).toMatchObject([
      { hashtags: ["slowfood", "café", "Dinner"], sources: { hashtags: "json" } },
    ]);
  });

  test("R-VID-22 a watched video without a visible author gets it from the head or the data", () => {
    const watched = '<p data-e2e="browse-video-desc">Soup</p>';
    const authorOf = (html: string) => extract(html).videos.map(({ author, sources }) => [author, sources.author]);
    expect(authorOf(pageOf(watched, canonical(0)))).toEqual([["ann", "link"]]);
    expect(authorOf(pageOf(dataOf("eve") + watched))).toEqual([["eve", "json"]]);
  });
});

describe("self-closing styles and titles", () => {
  const good = card("user-post-item", "ann", 0);

  test.each(["<svg><style/></svg>", "<svg><title/></svg>", "<svg><g><script /></g></svg>", "<math><title/></math>"])(
    "R-VID-22 within SVG or MathML they have no text: %s",
    (svg) => {
      expect(found(pageOf(svg + good))).toEqual(["0"]);
    },
  );

  test.each(["<style/>", "<svg/><style/>", "<svg></svg><style/>", "</svg><style/>", "<svg><style>"])(
    "R-VID-22 elsewhere the slash is ignored, and their content is text: %s",
    (opening) => {
      expect(found(pageOf(`${opening}${card("user-post-item", "eve", 5)}</style></svg>${good}`))).toEqual(["0"]);
    },
  );
});
