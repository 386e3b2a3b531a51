import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { siteRequests } from "#db/schema/links.ts";
import { siteWatches } from "#db/schema/sites.ts";
import { AppError } from "#lib/core/errors.ts";
import { HOUR_MS } from "#lib/core/time.ts";
import { HOST_CHECKS_MAX } from "#lib/features/links/constants.ts";
import { rateLimitedSiteOf } from "#lib/features/links/policy.ts";
import { reserveRedirect } from "#lib/features/links/site-limits.ts";
import { REQUESTS_MAX } from "#lib/features/sites/constants.ts";
import { readSitePages } from "#lib/features/sites/reading.ts";
import { checkWatch, listWatches, postponeWatches, watchSite } from "#lib/features/sites/watches.ts";
import { rssOf, shopifyOf, sitemapIndexOf, sitemapOf, wooOf, wordPressOf } from "#tests/support/fixture-site/feeds.ts";
import { sitesSetup } from "./sites-harness.ts";

const { setup, origin, serve, requests } = sitesSetup();

const TEXT = `<p>${"Recipes and tools for slow kitchens. ".repeat(5)}</p>`;
const SHOP = `<script src="//cdn.shopify.com/a.js"></script>${TEXT}`;
const WOO = `<script src="/wp-content/plugins/woocommerce/a.js"></script>${TEXT}`;
const WALL = "<title>Just a moment...</title>";

const read = async (path = "/") => {
  const { ctx } = await setup.insertCreator();
  return readSitePages(ctx, { text: `${origin()}${path}`, search: "" });
};

const refusalOf = async (path?: string): Promise<string> => {
  const error = await read(path).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error("It was read.");
  return error.message;
};

describe("a shop whose JSON can't be read now", () => {
  test.each([
    [503, "The site returned an error (503). Try again later."],
    [429, "The site received too many requests (429). Try again later."],
    [408, "The site refused to show us the page (408). Try again later."],
  ])("is read from its feed or sitemap, and says so if it has none: %i", async (status, says) => {
    serve({ "/": SHOP, "/products.json": { status } });
    expect(await refusalOf()).toBe(says);
    serve({ "/sitemap.xml": sitemapOf });
    expect(await read()).toMatchObject({ kind: "sitemap" });
    serve({ "/": `<link rel="alternate" type="application/rss+xml" href="/rss.xml">${SHOP}`, "/rss.xml": rssOf });
    expect(await read()).toMatchObject({ kind: "feed" });
  });

  test("is read from its sitemap when the JSON doesn't answer", async () => {
    serve({ "/": `<link rel="https://api.w.org/" href="http://down.test/wp-json/">${TEXT}` });
    expect(await refusalOf()).toBe("The site didn't respond in time. Try again later.");
    serve({ "/sitemap.xml": sitemapOf });
    expect(await read()).toMatchObject({ kind: "sitemap" });
  });

  test("isn't one without JSON, whose sitemap counts", async () => {
    serve({ "/": SHOP, "/products.json": { status: 403 }, "/sitemap.xml": sitemapOf });
    expect(await read()).toMatchObject({ kind: "sitemap", is_cut: false });
  });

  test("is listed in part with the posts of its blog", async () => {
    serve({ "/": WOO, "/wp-json/wc/store/v1/products": { status: 503 }, "/wp-json/wp/v2/posts": wordPressOf });
    expect(await read()).toMatchObject({ kind: "wordpress", is_cut: true });
    serve({ "/wp-json/wc/store/v1/products": wooOf });
    expect(await read()).toMatchObject({ kind: "woocommerce", is_cut: false });
  });
});

test("a blog with exactly a hundred posts is listed as a whole: WordPress refuses the page after them", async () => {
  const posts = Array.from({ length: 100 }, (_, n) => ({ link: `/p/${n}`, title: { rendered: `Post ${n}` } }));
  const api = "/wp-json/wp/v2/posts";
  const query = (page: number) =>
    `${api}?per_page=100&page=${page}&_embed=wp:featuredmedia,wp:term&_fields=link,title,date_gmt,_links,_embedded`;
  serve({ "/": `<link rel="https://api.w.org/" href="/wp-json/">${TEXT}`, [query(1)]: JSON.stringify(posts) });
  serve({ [query(2)]: { status: 400 } });
  expect(await read()).toMatchObject({ total: 100, is_cut: false });
  serve({ [query(2)]: { status: 503 } });
  expect(await read()).toMatchObject({ total: 100, is_cut: true });
});

test("a feed in another alphabet than its encoding isn't read, one in its own is", async () => {
  const titles = "Рецепты борща с пампушками и чесноком";
  const feed = (title: string | Buffer) =>
    Buffer.concat([Buffer.from("<rss><channel><item><link>/a</link><title>"), Buffer.from(title), END]);
  const END = Buffer.from("</title></item></channel></rss>");
  // Each Cyrillic letter is one byte, from 0xc0 on.
  const bytes = Buffer.from(
    [...titles].map((char) => (char === " " ? 0x20 : (char.codePointAt(0) ?? 0) - 0x410 + 0xc0)),
  );
  serve({ "/wrong.xml": feed(bytes), "/right.xml": feed(titles) });
  expect(await refusalOf("/wrong.xml")).toContain("character encoding");
  expect(await read("/right.xml")).toMatchObject({ pages: [{ title: titles }] });
});

test.each([503, 429])("a home page that answers %i is a failure only if the site has no sitemap", async (status) => {
  serve({ "/": { status } });
  expect(await refusalOf()).toContain(`(${status})`);
  serve({ "/sitemap.xml": sitemapOf });
  expect(await read()).toMatchObject({ kind: "sitemap", address: `${origin()}/sitemap.xml` });
});

test("a site that uses up a reading's requests before its sitemap is asked for isn't one without pages", async () => {
  const [feeds, hops] = [3, 5];
  const link = (n: number) => `<link rel="alternate" type="application/rss+xml" href="/feed${n}/0">`;
  serve({ "/": [0, 1, 2].map(link).join("") + TEXT });
  for (let n = 0; n < feeds * hops; n += 1) {
    const [feed, hop] = [Math.floor(n / hops), n % hops];
    serve({ [`/feed${feed}/${hop}`]: { status: 302, headers: { location: `/feed${feed}/${hop + 1}` } } });
  }
  expect(await refusalOf()).toContain("took too long");
  // The feeds end at a page that isn't there, with robots.txt and the site's page before them.
  expect(requests()).toHaveLength(REQUESTS_MAX);
});

describe("an index of sitemaps", () => {
  test.each([
    ["itself", "/sitemap.xml"],
    ["found on its site", "/"],
  ])("whose sitemaps are busy isn't empty: %s", async (_how, path) => {
    serve({
      "/": TEXT,
      "/sitemap.xml": (at) => sitemapIndexOf([`${at}/gone.xml`, `${at}/busy.xml`]),
      "/busy.xml": { status: 503 },
    });
    expect(await refusalOf(path)).toBe("The site returned an error (503). Try again later.");
  });

  test("whose sitemaps are gone is", async () => {
    serve({ "/sitemap.xml": (at) => sitemapIndexOf([`${at}/gone.xml`]) });
    expect(await refusalOf("/sitemap.xml")).toContain("no pages listed");
  });
});

describe("a watched site that can't be read now", () => {
  const watcher = async (path: string) => {
    const creator = await setup.insertCreator();
    const { watches } = await watchSite(creator.ctx, { text: `${origin()}${path}` });
    const watchId = watches[0]?.id ?? "";
    const check = async () => {
      const due = { nextAt: new Date(0) };
      await creator.ctx.db.update(siteWatches).set(due).where(eq(siteWatches.id, watchId));
      await checkWatch(setup.job(), { watchId });
      const { watches: after, proposals } = await listWatches(creator.ctx);
      return { problem: after[0]?.problem, proposed: proposals.length };
    };
    const hoursToNext = async () => {
      const [row] = await creator.ctx.db.select().from(siteWatches).where(eq(siteWatches.id, watchId));
      return Math.round(((row?.nextAt.getTime() ?? 0) - (row?.checkedAt.getTime() ?? 0)) / HOUR_MS);
    };
    return { watchId, check, hoursToNext };
  };

  test.each([
    ["its JSON fails", { "/products.json": { status: 503 } }, "The site returned an error (503). Try again later."],
    ["its JSON is gone", { "/products.json": { status: 403 } }, /^We couldn't find a shop/],
    ["its page is refused", { "/": { status: 403 } }, "The site refused to show us the page (403)."],
    ["its page checks for robots", { "/": WALL }, /prove that we're human/],
  ])("says why, and proposes nothing from its sitemap: %s", async (_what, failing, says) => {
    serve({ "/": SHOP, "/products.json": shopifyOf });
    const { check } = await watcher("/");
    const today = `<lastmod>${new Date().toISOString()}</lastmod>`;
    serve({ "/sitemap.xml": `<urlset><url><loc>/collections/old</loc>${today}</url></urlset>`, ...failing });
    const { problem, proposed } = await check();
    expect(proposed).toBe(0);
    expect(problem).toMatch(says);
    expect(requests().map(({ url }) => url)).not.toContain("/sitemap.xml");
    serve({ "/": SHOP, "/products.json": shopifyOf });
    expect(await check()).toEqual({ problem: null, proposed: 0 });
  });

  test("and was read from its sitemap at first stays with it", async () => {
    serve({ "/": SHOP, "/products.json": { status: 503 }, "/sitemap.xml": sitemapOf });
    const { check } = await watcher("/");
    serve({ "/products.json": shopifyOf });
    expect(await check()).toEqual({ problem: null, proposed: 0 });
    serve({ "/sitemap.xml": { status: 503 } });
    expect((await check()).problem).toContain("(503)");
  });

  test("is read again in an hour, three times, and then every day; one that is gone only every day", async () => {
    serve({ "/rss.xml": rssOf });
    const { check, hoursToNext } = await watcher("/rss.xml");
    const hours: number[] = [];
    for (const status of [503, 429, 500, 503, 200, 404]) {
      serve({ "/rss.xml": (at) => ({ status, headers: { "content-type": "application/xml" }, body: rssOf(at) }) });
      await check();
      hours.push(await hoursToNext());
    }
    expect(hours).toEqual([1, 1, 1, 24, 24, 24]);
  });

  test("because we are busy, or failed ourselves, has all its tries when it fails itself", async () => {
    serve({ "/rss.xml": rssOf });
    const { watchId, check, hoursToNext } = await watcher("/rss.xml");
    const job = setup.job();
    await Promise.all(Array.from({ length: HOST_CHECKS_MAX }, () => reserveRedirect(job, rateLimitedSiteOf(origin()))));
    for (let n = 0; n < 2; n += 1) {
      expect((await check()).problem).toContain("many requests");
      await job.db.update(siteWatches).set({ nextAt: new Date(0) });
      expect(await postponeWatches(job, { watchIds: [watchId] })).toEqual({ failed: 1 });
    }
    await job.db.delete(siteRequests);
    serve({ "/rss.xml": { status: 503 } });
    expect((await check()).problem).toContain("(503)");
    expect(await hoursToNext()).toBe(1);
  });

  test.each([
    ["is refused", { status: 403 }],
    ["checks for robots", WALL],
  ])("a feed at the root of its site that %s", async (_what, answer) => {
    serve({ "/?feed=rss2": rssOf });
    const { check } = await watcher("/?feed=rss2");
    serve({ "/?feed=rss2": answer, "/sitemap.xml": "<urlset><url><loc>/collections/old</loc></url></urlset>" });
    const { problem, proposed } = await check();
    expect(proposed).toBe(0);
    expect(problem).not.toBeNull();
  });
});
