import { describe, expect, test } from "vitest";
import { ENTRIES_MAX } from "#lib/features/sites/constants.ts";
import { readListing } from "#lib/features/sites/listings.ts";
import { signalsOf } from "#lib/features/sites/signals.ts";
import { beginsAsXml, createXmlReader, type XmlDocument } from "#lib/features/sites/xml.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import {
  atomOf,
  rssOf,
  shopifyOf,
  sitemapIndexOf,
  sitemapOf,
  wooOf,
  wordPressOf,
} from "#tests/support/fixture-site/feeds.ts";
import { READABLE_PAGES } from "#tests/support/fixture-site/pages.ts";
import { fc } from "#tests/support/properties.ts";

const ORIGIN = "https://fern.example";

const read = (source: string, pieceChars = source.length): XmlDocument => {
  const reader = createXmlReader(`${ORIGIN}/feed.xml`);
  for (let at = 0; at < source.length; at += pieceChars) if (!reader.write(source.slice(at, at + pieceChars))) break;
  return reader.end();
};

const [first] = READABLE_PAGES;
const newest = {
  url: `${ORIGIN}${first?.path}`,
  image: `${ORIGIN}${first?.path}.jpg`,
  date: new Date("2026-11-20T00:00:00.000Z"),
};

describe("feeds and sitemaps", () => {
  test.each([
    ["RSS", rssOf(ORIGIN), { title: first?.title, tags: ["recipe"] }],
    ["Atom, with relative links, and a title of its author", atomOf(), { title: first?.title, tags: ["recipe"] }],
    ["a sitemap, which has no titles", sitemapOf(ORIGIN), { title: null, tags: [] }],
  ])("%s names every page, whatever the pieces are", (_name, source, said) => {
    const whole = read(source);
    expect(whole.entries).toHaveLength(READABLE_PAGES.length);
    expect(whole.entries[0]).toEqual({ ...newest, ...said });
    expect(new Set(whole.entries.map(({ url }) => url)).size).toBe(READABLE_PAGES.length);
    expect(read(source, 7)).toEqual(whole);
  });

  test("a feed has a title, an index has sitemaps", () => {
    expect(read(rssOf(ORIGIN))).toMatchObject({ kind: "feed", title: "Fern & Fork" });
    const index = read(sitemapIndexOf(["/a.xml", "https://cdn.example/b.xml"]));
    expect(index).toMatchObject({ kind: "index", entries: [] });
    expect(index.sitemaps.map(({ url }) => url)).toEqual([`${ORIGIN}/a.xml`, "https://cdn.example/b.xml"]);
  });

  test("an RSS 1.0 feed, an enclosure, and a guid instead of a link are understood", () => {
    const rdf = read(
      `<rdf:RDF><channel><title>Old</title></channel><item><title>A</title><link>${ORIGIN}/a</link>
      <dc:date>2026-01-02</dc:date></item></rdf:RDF>`,
    );
    expect(rdf).toMatchObject({ kind: "feed", entries: [{ url: `${ORIGIN}/a`, date: new Date("2026-01-02") }] });
    const guid = read(
      `<rss><channel><item><guid>${ORIGIN}/g</guid><enclosure url="/g.png" type="image/png"/></item></channel></rss>`,
    );
    expect(guid.entries).toMatchObject([{ url: `${ORIGIN}/g`, image: `${ORIGIN}/g.png` }]);
  });

  test("titles lose markup and invisible characters, and links that aren't pages are left out", () => {
    const { entries } = read(
      `<rss><channel><item><title>Ferns &amp;amp; &lt;b&gt;moss&lt;/b&gt;\u202e</title><link>/a</link></item>
      <item><title>Script</title><link>javascript:alert(1)</link></item>
      <item><title>Again</title><link>/a</link></item></channel></rss>`,
    );
    expect(entries.map(({ title }) => title)).toEqual(["Ferns & moss"]);
  });

  test("entities that a feed declares are never expanded, and reading ends", () => {
    const lines = Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join("");
    const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a0 "moss">${lines}]><rss><channel><item><title>&a9;</title>
      <link>/a</link></item></channel></rss>`;
    const document = read(bomb);
    expect(document).toMatchObject({ hasEntities: true, entries: [] });
    expect(read('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel/></rss>').hasEntities).toBe(true);
    expect(read(`<!DOCTYPE rss PUBLIC "-//Netscape" "http://n/rss.dtd">${rssOf(ORIGIN).slice(38)}`)).toMatchObject({
      ...{ hasEntities: false, kind: "feed" },
    });
  });

  test("a sitemap is read up to 50,000 pages", () => {
    const urls = Array.from({ length: ENTRIES_MAX + 5 }, (_, n) => `<url><loc>/p/${n}</loc></url>`).join("");
    const { entries, isCut } = read(`<urlset>${urls}</urlset>`, 65_536);
    expect([entries.length, isCut]).toEqual([ENTRIES_MAX, true]);
  });

  test("any text is read in time that grows with its length, and never throws", () => {
    expect(cpuMsOf(() => read(`<rss>${"<item>".repeat(200_000)}`)).cpuMs).toBeLessThan(3_000);
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (text) => void read(`<rss><item>${text}`, 13)),
    );
  });
});

describe("the beginning of a document", () => {
  test.each([
    ['\uFEFF<?xml version="1.0"?><!-- a --><?xml-stylesheet href="a"?><rss version="2.0">', true],
    ['<!DOCTYPE rss PUBLIC "-//Netscape" "http://n/rss.dtd"><rss>', true],
    ["<!DOCTYPE x [<!ENTITY a 'b'>]><html>", true],
    ["<!doctype  html><rss>", false],
    ['<?xml version="1.0"?><!DOCTYPE rss PUBLIC "a" "b"><!-- by a plugin --><rss>', true],
    ["<?xml version='1.0'?><?xml-stylesheet href='a'?><?generator b?>\n<urlset>", true],
    ['<!-- c --><!DOCTYPE rss [<!ENTITY a "b">]><rss>', true],
    ["<rss-like>", false],
    ["<html><rss>", false],
  ])("%s says whether it is a feed or sitemap", (beginning, isXml) => {
    expect(beginsAsXml(beginning)).toBe(isXml);
  });

  test.each([
    ["spaces", `<!doctype${" ".repeat(100_000)}`],
    ["declarations", "<!doctype a ".repeat(10_000)],
    ["comments", "<!---->".repeat(20_000)],
    ["spaces only", " ".repeat(100_000)],
  ])("with very many %s is recognized in a short time", (_name, beginning) => {
    const { result, cpuMs } = cpuMsOf(() => beginsAsXml(beginning));
    expect(result).toBe(false);
    expect(cpuMs).toBeLessThan(1_000);
  });
});

describe("a page", () => {
  test("names its feeds, without those of comments, and the API of WordPress", () => {
    const html = `<link rel="alternate" type="application/rss+xml" href="/comments/feed"><link rel="alternate"
      type="application/atom+xml" href="/atom.xml"><link rel="https://api.w.org/" href="/blog/wp-json/">`;
    const { apis, feeds } = signalsOf(html, `${ORIGIN}/`);
    expect(feeds).toEqual([`${ORIGIN}/atom.xml`]);
    expect(apis.map(({ kind, urlOf }) => [kind, new URL(urlOf(2)).pathname])).toEqual([
      ["wordpress", "/blog/wp-json/wp/v2/posts"],
    ]);
  });

  test("with deeply nested elements is read in a short time", () => {
    const { result, cpuMs } = cpuMsOf(() => signalsOf("<b>".repeat(600_000), `${ORIGIN}/`));
    expect(result).toEqual({ apis: [], feeds: [] });
    expect(cpuMs).toBeLessThan(3_000);
  });
});

describe("public JSON", () => {
  const path = (slug: string) => `${ORIGIN}${slug}`;

  test("of Shopify names products by their handle", () => {
    const found = readListing("shopify", shopifyOf(ORIGIN), `${ORIGIN}/products.json?limit=250`);
    expect(found).toMatchObject({ items: 8 });
    expect(found?.entries[0]).toEqual({
      ...{ url: path("/products/linen-apron"), title: "Linen apron", image: path("/shop/linen-apron.jpg") },
      ...{ date: new Date("2026-11-20"), tags: ["Kitchen", "daily use"] },
    });
  });

  test("of WordPress names posts with image, tags, and a date in UTC", () => {
    const found = readListing("wordpress", wordPressOf(ORIGIN), `${ORIGIN}/wp-json/wp/v2/posts`);
    expect(found?.entries[0]).toEqual({
      ...{ url: path("/journal/sharpen-knives"), title: "How to sharpen knives at home" },
      ...{ image: path("/journal/sharpen-knives.jpg"), date: new Date("2026-11-20"), tags: ["small kitchens"] },
    });
  });

  test("of WooCommerce names products by their link", () => {
    const found = readListing("woocommerce", wooOf(ORIGIN), `${ORIGIN}/wp-json/wc/store/v1/products`);
    expect(found?.entries.at(-1)).toEqual({
      ...{ url: path("/shop/tea-towels"), title: "Tea towels", image: path("/shop/tea-towels.jpg") },
      ...{ date: null, tags: ["kitchen gifts", "Kitchen"] },
    });
  });

  test("with strange items keeps the others, and anything else is none", () => {
    const strange = JSON.stringify({
      products: [{ handle: 5 }, { handle: "a", images: "x", tags: "b, c", title: null }],
    });
    expect(readListing("shopify", strange, ORIGIN)?.entries).toEqual([
      { url: path("/products/a"), title: null, image: null, date: null, tags: ["b", "c"] },
    ]);
    for (const text of ["", "<html>", "null", "[1,2]", '{"products":5}', '{"code":"rest_no_route"}']) {
      for (const kind of ["shopify", "wordpress", "woocommerce"] as const) {
        expect(readListing(kind, text, ORIGIN)).toBeNull();
      }
    }
  });

  test("with millions of items that don't fit is read in a short time", () => {
    const many = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`;
    const images = `{"products":[{"handle":"a","images":${many(1_000_000, "1")}}]}`;
    const { cpuMs } = cpuMsOf(() => {
      for (const kind of ["wordpress", "woocommerce"] as const) {
        expect(readListing(kind, many(1_000_000, "{}"), ORIGIN)).toBeNull();
      }
      expect(readListing("shopify", images, ORIGIN)?.entries).toHaveLength(1);
    });
    expect(cpuMs).toBeLessThan(8_000);
    const products = `{"products":${many(1_200, '{"handle":"a"}')}}`;
    expect(readListing("shopify", products, ORIGIN)).toMatchObject({ items: 1_200, isCut: true });
  });
});
