import { gzipSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { readPage } from "#lib/features/pages/readings.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { REQUESTS_MAX } from "#lib/features/sites/constants.ts";
import { readSitePages } from "#lib/features/sites/reading.ts";
import {
  atomOf,
  rssOf,
  shopifyOf,
  sitemapIndexOf,
  sitemapOf,
  wooOf,
  wordPressOf,
} from "#tests/support/fixture-site/feeds.ts";
import { READABLE_PAGES, SITE_PAGES } from "#tests/support/fixture-site/pages.ts";
import { sitesSetup } from "./sites-harness.ts";

const { setup, origin, nextOrigin, serve, requests } = sitesSetup();

const TEXT = `<p>${"Recipes and tools for slow kitchens. ".repeat(5)}</p>`;

const read = async (text = `${origin()}/`, search = "") => {
  const { ctx } = await setup.insertCreator();
  return readSitePages(ctx, { text, search });
};

const refusalOf = async (text?: string): Promise<string> => {
  const error = await read(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error("It was read.");
  return error.message;
};

const paths = () => requests().map(({ url }) => url);

describe("the fixture site", () => {
  test("has thirty pages, whose facts come back one by one", async () => {
    const job = setup.job();
    const halves = [SITE_PAGES.slice(0, 15), SITE_PAGES.slice(15)];
    expect(halves.flat()).toHaveLength(30);
    for (const half of halves) {
      const site = nextOrigin();
      for (const { path, expected } of half) {
        const found = await readPage(job, { url: `${site}${path}` });
        if ("reason" in expected) expect([path, found]).toMatchObject([path, { kind: "unread", ...expected }]);
        else expect([path, found]).toMatchObject([path, { kind: "read", facts: expected }]);
      }
    }
  });
});

describe("a site is recognized", () => {
  test("as WordPress by its API, which may be in a folder", async () => {
    serve({
      "/": (at) => `<link rel="https://api.w.org/" href="${at}/blog/wp-json/">${TEXT}`,
      "/blog/wp-json/wp/v2/posts": wordPressOf,
    });
    const site = await read();
    expect(site).toMatchObject({ kind: "wordpress", total: 6, is_cut: false });
    expect(site.pages[0]).toMatchObject({
      ...{ title: "How to sharpen knives at home", keyword: "how to sharpen knives at home", pins: 0 },
      ...{ image_url: `${origin()}/journal/sharpen-knives.jpg`, date: "2026-11-20T00:00:00.000Z" },
    });
  });

  test("as WooCommerce, with the posts of its blog", async () => {
    serve({
      "/": `<script src="/wp-content/plugins/woocommerce/a.js"></script>${TEXT}`,
      "/wp-json/wc/store/v1/products": wooOf,
      "/wp-json/wp/v2/posts": wordPressOf,
    });
    expect(await read()).toMatchObject({ kind: "woocommerce", total: 14 });
  });

  test("as Shopify by its products, page by page", async () => {
    const full = JSON.stringify({
      products: Array.from({ length: 250 }, (_, n) => ({ handle: `p${n}`, title: `P ${n}` })),
    });
    serve({
      "/": `<script src="//cdn.shopify.com/a.js"></script>${TEXT}`,
      "/products.json?limit=250&page=1": full,
      "/products.json?limit=250&page=2": shopifyOf,
    });
    const site = await read();
    expect(site).toMatchObject({ kind: "shopify", total: 258, is_cut: false });
    expect(site.pages[0]?.url).toBe(`${origin()}/products/linen-apron`);
  });

  test("by the feed that its page names, but not by that of its comments", async () => {
    serve({
      "/": `<link rel="alternate" type="application/rss+xml" href="/comments/feed.xml"><link rel="alternate"
        type="application/atom+xml" href="/atom.xml">${TEXT}`,
      "/atom.xml": atomOf(),
    });
    expect(await read()).toMatchObject({ kind: "feed", name: "Fern & Fork", total: READABLE_PAGES.length });
    expect(paths()).not.toContain("/comments/feed.xml");
  });

  test("by the sitemaps that robots.txt names, also compressed, the last changed first", async () => {
    serve({
      "/": TEXT,
      "/robots.txt": (at) => `User-agent: *\nSitemap: ${at}/maps/index.xml`,
      "/maps/index.xml": (at) => sitemapIndexOf([`${at}/maps/new.xml.gz`, `${at}/maps/gone.xml`]),
      "/maps/new.xml.gz": (at) => ({
        headers: { "content-type": "application/gzip" },
        body: gzipSync(sitemapOf(at)),
      }),
    });
    const site = await read();
    // One of them couldn't be read.
    expect(site).toMatchObject({ kind: "sitemap", total: READABLE_PAGES.length, is_cut: true });
    expect(site.pages[0]).toMatchObject({ title: "Rye crispbread", keyword: "rye crispbread" });
    expect(paths().indexOf("/maps/new.xml.gz")).toBeLessThan(paths().indexOf("/maps/gone.xml"));
  });

  test("when a feed, a sitemap, or its JSON itself is entered, also after a redirect", async () => {
    serve({
      "/feed": { status: 301, headers: { location: "/rss.xml" } },
      "/rss.xml": rssOf,
      "/sitemap.xml": sitemapOf,
      "/products.json": shopifyOf,
    });
    expect(await read(`${origin()}/feed`)).toMatchObject({ kind: "feed", address: `${origin()}/rss.xml` });
    expect(await read(`${origin()}/sitemap.xml`)).toMatchObject({ kind: "sitemap" });
    expect(await read(`${origin()}/products.json`)).toMatchObject({ kind: "shopify", total: 8 });
  });

  test("and searched for words, beyond the pages of an answer", async () => {
    const urls = Array.from({ length: 3_000 }, (_, n) => `<url><loc>/p/moss-${n}-</loc></url>`).join("");
    serve({ "/sitemap.xml": `<urlset>${urls}</urlset>` });
    const all = await read(`${origin()}/sitemap.xml`);
    expect([all.pages.length, all.total]).toEqual([1_000, 3_000]);
    const found = await read(`${origin()}/sitemap.xml`, "moss 2999");
    expect(found.pages.map(({ title }) => title)).toEqual(["Moss 2999"]);
  });
});

describe("a site that can't be read says why", () => {
  const PAGES: [string, string | { status: number }, RegExp][] = [
    ["a login", '<p>Members only.</p><input type="password">', /sign in/],
    ["a check for robots", "<title>Just a moment...</title>", /prove that we.re human/],
    ["a page that needs JavaScript", '<div id="app"></div>', /only appears with JavaScript/],
    ["a page without a feed", TEXT, /find a shop, feed, or sitemap/],
    ["an error", { status: 503 }, /returned an error \(503\)/],
  ];
  test.each(PAGES)("%s", async (_name, home, says) => {
    serve({ "/": home });
    expect(await refusalOf()).toMatch(says);
  });

  test("robots.txt: nothing that it disallows is requested, also where a redirect leads", async () => {
    serve({ "/robots.txt": "User-agent: Evertack\nDisallow: /\n\nUser-agent: *\nDisallow:" });
    expect(await refusalOf()).toContain("robots.txt");
    expect(new Set(paths())).toEqual(new Set(["/robots.txt"]));
    const from = nextOrigin();
    serve({
      "/robots.txt": "User-agent: *\nDisallow: /private",
      "/feed": { status: 302, headers: { location: "/private/feed" } },
      "/private/feed": rssOf,
    });
    expect(await refusalOf(`${from}/feed`)).toContain("robots.txt");
    expect(paths()).not.toContain("/private/feed");
  });

  test("a robots.txt that can't be read: then nothing is", async () => {
    serve({ "/robots.txt": { status: 500 }, "/": TEXT });
    expect(await refusalOf()).toContain("(500)");
    expect(paths()).not.toContain("/");
  });

  test("a feed that is harmful, broken, or empty", async () => {
    serve({
      "/bomb.xml":
        '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><title>&a;</title></channel></rss>',
      "/charset.xml": Buffer.concat([
        Buffer.from('<?xml version="1.0" encoding="shift_jis"?><rss><channel><item><link>/a</link><title>'),
        Buffer.from(Array.from({ length: 400 }, (_, n) => 0xfd + (n % 3))),
        Buffer.from("</title></item></channel></rss>"),
      ]),
      "/empty.xml": "<rss><channel><title>Nothing</title></channel></rss>",
      "/broken.xml.gz": { headers: { "content-type": "application/gzip" }, body: "not compressed" },
      "/loop": { status: 302, headers: { location: "/loop" } },
    });
    expect(await refusalOf(`${origin()}/bomb.xml`)).toContain("XML entities");
    expect(await refusalOf(`${origin()}/charset.xml`)).toContain("character encoding");
    expect(await refusalOf(`${origin()}/empty.xml`)).toBe(
      "We found no pages listed on this site. Paste their URLs instead.",
    );
    expect(await refusalOf(`${origin()}/broken.xml.gz`)).toContain("damaged");
    expect(await refusalOf(`${origin()}/loop`)).toContain("redirects too many times");
  });

  test("a sitemap that doesn't answer, which isn't the same as none", async () => {
    serve({ "/": TEXT, "/robots.txt": "User-agent: *\nSitemap: http://down.test/map.xml" });
    expect(await refusalOf()).toBe("The site didn't respond in time. Try again later.");
  });

  test("a text that looks like the beginning of a feed again and again, which takes no time", async () => {
    const begunMs = performance.now();
    serve({ "/feed": `<?xml version="1.0"?>${"<!---->".repeat(8_000)}<p>` });
    expect(await refusalOf(`${origin()}/feed`)).toContain("only appears with JavaScript");
    expect(performance.now() - begunMs).toBeLessThan(20_000);
  });

  test("private addresses, also under public names, and names that don't exist", async () => {
    for (const address of ["http://127.0.0.1/", "http://inside.test/", "http://[::1]/feed"]) {
      expect(await refusalOf(address)).toBe("This URL isn't public. Enter one that anyone can open.");
    }
    expect(await refusalOf("https://gone.test")).toContain("no site at this URL");
    expect(await refusalOf("not an address")).toContain("isn't the URL of a site");
    serve({ "/feed": { status: 302, headers: { location: "http://inside.test/" } } });
    expect(await refusalOf(`${origin()}/feed`)).toBe("This URL isn't public. Enter one that anyone can open.");
  });

  test("a reading makes a bounded number of requests, and a site at its limit is left alone", async () => {
    const maps = Array.from({ length: 60 }, (_, n) => `/maps/${n}.xml`);
    serve({
      "/sitemap.xml": (at) => sitemapIndexOf(maps.map((path) => `${at}${path}`)),
      ...Object.fromEntries(maps.map((path) => [path, `<urlset><url><loc>${path}-page</loc></url></urlset>`])),
    });
    const site = await read(`${origin()}/sitemap.xml`);
    expect(requests()).toHaveLength(REQUESTS_MAX);
    expect(site).toMatchObject({ total: REQUESTS_MAX - 2, is_cut: true });
    await read(`${origin()}/sitemap.xml`);
    expect(await refusalOf(`${origin()}/sitemap.xml`)).toContain("Try again in a minute");
    expect(requests()).toHaveLength(30);
  });
});

test("the first pages of a pasted list are read, those of robots.txt are not, and the others keep their URLs' words", async () => {
  serve({ "/robots.txt": "User-agent: *\nDisallow: /shop/oak" });
  const slugs = ["/recipes/plum-jam", "/shop/oak-board", "/broken/members"].map((path) => `${origin()}${path}`);
  const more = Array.from({ length: 20 }, (_, n) => `${origin()}/more/ferns-${n}-years`);
  const site = await read([...slugs, ...more].join("\n"));
  expect(site).toMatchObject({ kind: "list", total: 23 });
  expect(site.pages.slice(0, 3)).toMatchObject([
    { title: "Plum jam without pectin | Fern & Fork", keyword: "plum jam without pectin", problem: null },
    { title: "Oak board", problem: expect.stringContaining("robots.txt") },
    { problem: "The page asks visitors to sign in." },
  ]);
  expect(site.pages.at(-1)).toMatchObject({ title: "Ferns 19 years", problem: null });
  expect(paths()).not.toContain("/shop/oak-board");
});

test("pages that robots.txt disallows are marked beyond the pages that are read, in a feed, and where redirects lead", async () => {
  serve({
    "/robots.txt": "User-agent: *\nDisallow: /recipes/plum\nDisallow: /private",
    "/rss.xml": rssOf,
    "/moved": { status: 302, headers: { location: "/private/page" } },
    "/private/page": TEXT,
  });
  const feed = await read(`${origin()}/rss.xml`);
  const blocked = feed.pages.filter(({ problem }) => problem?.includes("robots.txt"));
  expect(blocked.map(({ url }) => url)).toEqual([`${origin()}/recipes/plum-jam`]);
  const more = Array.from({ length: 20 }, (_, n) => `${origin()}/more/ferns-${n}-years`);
  const list = await read([`${origin()}/moved`, ...more, `${origin()}/recipes/plum-jam`].join("\n"));
  expect(list.pages.filter(({ problem }) => problem?.includes("robots.txt")).map(({ url }) => url)).toEqual([
    `${origin()}/moved`,
    `${origin()}/recipes/plum-jam`,
  ]);
  expect(paths()).not.toContain("/private/page");
});

test("each page says what the user's own pins did with it", async () => {
  serve({ "/rss.xml": rssOf });
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const { ctx } = creator;
  const draft = (of: typeof creator, path: string) =>
    createDraft(of.ctx, {
      ...{ userId: of.userId, accountId: of.accountId as AccountId, boardId: "1", source: "ai" },
      ...{ title: "T", description: "D", altText: "A", keyword: null, imageKey: "pins/a.jpg" },
      ...{ likeness: null, placeholder: null, link: `${origin()}${path}` },
    });
  const first = await draft(creator, "/recipes/plum-jam/");
  const second = await draft(creator, "/recipes/plum-jam");
  await draft(creator, "/recipes/plum-jam/?utm_source=pinterest&utm_medium=social");
  await draft(other, "/recipes/oat-cookies");
  const pinned = async () => {
    const { pages } = await readSitePages(ctx, { text: `${origin()}/rss.xml`, search: "" });
    return pages.filter((page) => page.pins > 0);
  };
  const page = { url: `${origin()}/recipes/plum-jam`, pins: 3 };
  expect(await pinned()).toMatchObject([{ ...page, last_published_at: null }]);
  const publish = (id: PinId, publishedAt: Date) =>
    ctx.db.update(pins).set({ status: "published", publishedAt, pinterestPinId: id }).where(eq(pins.id, id));
  await publish(second, new Date("2026-11-20T10:00:00Z"));
  await publish(first, new Date("2026-11-02T10:00:00Z"));
  expect(await pinned()).toMatchObject([{ ...page, last_published_at: "2026-11-20T10:00:00.000Z" }]);
});
