import sharp from "sharp";
import { describe, expect, inject, test } from "vitest";
import { PAGE_PATHS, pageCopyOf } from "#components/site/page-copy.ts";
import { SITE_PAGES } from "#components/site/pages.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { Crawler, type Get } from "#tests/support/crawl.ts";
import { type HtmlFacts, readHtml } from "#tests/support/read-html.ts";

const NAME = "Evertack";

/** The paths that the sitemap lists, and the origin that the pages were built for. */
const readSitemap = async (): Promise<{ builtFor: string; paths: string[] }> => {
  const { status, headers, text } = await callApp("/sitemap.xml");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toContain("xml");
  const urls = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = ""]) => new URL(url));
  const [first] = urls;
  if (!first) throw new Error("The sitemap is empty.");
  expect(new Set(urls.map(({ origin }) => origin)).size).toBe(1);
  return { builtFor: first.origin, paths: urls.map(({ pathname }) => pathname) };
};

const inMenus = new Set<string>(SITE_PAGES.map(({ path }) => path));

const readPage = async (path: string): Promise<HtmlFacts> => {
  const { status, text } = await callApp(path);
  expect([path, status]).toEqual([path, 200]);
  return readHtml(text);
};

/** A file of the site: status, content type, and bytes. */
const readFile = async (path: string) => {
  const response = await fetch(new URL(path, inject("app").baseUrl));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get("content-type"), bytes };
};

type StructuredData = { "@type": string; [property: string]: unknown };

const structuredDataIn = (facts: HtmlFacts): StructuredData[] =>
  facts.jsonLd.flatMap((text) => {
    const data = JSON.parse(text);
    expect(data["@context"]).toBe("https://schema.org");
    expect(data["@graph"].every((thing: StructuredData) => typeof thing["@type"] === "string")).toBe(true);
    return data["@graph"];
  });

/** Checks the share image as social networks fetch it. */
const checkImage = async (facts: HtmlFacts, origins: string[], path: string): Promise<string> => {
  const { origin, pathname, search } = new URL(facts.metas["og:image"] ?? "");
  const imagePath = pathname + search;
  expect(origins, path).toContain(origin);
  expect(imagePath, path).toMatch(/^\/share\/[\w/-]+\.jpg\?v=[0-9a-f]+$/);
  const { status, type, bytes } = await readFile(imagePath);
  expect([path, status, type]).toEqual([path, 200, "image/jpeg"]);
  const { width, height } = await sharp(bytes).metadata();
  expect([path, width, height]).toEqual([path, 1200, 630]);
  expect([facts.metas["og:image:width"], facts.metas["og:image:height"]]).toEqual(["1200", "630"]);
  expect(facts.metas["og:image:alt"], path).not.toBe("");
  return imagePath;
};

test("R-ROUTE-01, R-ROUTE-02, R-ROUTE-03, R-ROUTE-04, R-ROUTE-05, R-ROUTE-06, R-ROUTE-07, R-ROUTE-08, R-ROUTE-09, R-ROUTE-10, R-ROUTE-11, R-ROUTE-12, R-ROUTE-13, R-ROUTE-14, A-85 every public page has a title, description, canonical URL, share image and valid JSON-LD", async () => {
  const { builtFor, paths } = await readSitemap();
  // Static pages contain the origin they were built for, dynamic pages the running one.
  const origins = [builtFor, new URL(inject("app").baseUrl).origin];
  const titles: string[] = [];
  const images: string[] = [];
  for (const path of new Set([...PAGE_PATHS, ...paths])) {
    const facts = await readPage(path);
    const { metas } = facts;
    titles.push(facts.title);
    images.push(await checkImage(facts, origins, path));
    expect([path, facts.lang, facts.headings.length]).toEqual([path, "en", 1]);
    expect(facts.title, path).toContain(NAME);
    expect((metas.description ?? "").length, `description of ${path}`).toBeGreaterThanOrEqual(60);
    // The root URL is the same with and without a trailing slash.
    const addresses = [...facts.canonical, metas["og:url"] ?? ""].map((address) => new URL(address));
    expect(addresses.map(({ pathname, search, hash }) => pathname + search + hash)).toEqual([path, path]);
    expect(addresses.filter(({ origin }) => !origins.includes(origin))).toEqual([]);
    expect(metas["og:site_name"], path).toBe(NAME);
    expect([metas["og:description"], metas["twitter:card"]], path).toEqual([metas.description, "summary_large_image"]);
    expect(metas["og:title"]?.length, path).toBeGreaterThan(3);
    expect([path, paths.includes(path)]).toEqual([path, !/noindex/.test(metas.robots ?? "")]);
    const kinds = structuredDataIn(facts).map((thing) => thing["@type"]);
    if (inMenus.has(path) || path.startsWith("/blog/")) {
      expect(kinds, path).toContain(path === "/" ? "Organization" : "BreadcrumbList");
    }
  }
  expect(new Set(titles).size).toBe(titles.length);
  expect(new Set(images).size).toBe(images.length);
});

test("A-85 structured data: organization and product on the landing page, questions on FAQs, articles in the blog", async () => {
  const { builtFor, paths } = await readSitemap();
  const kindsOf = async (path: string) => structuredDataIn(await readPage(path)).map((thing) => thing["@type"]);
  expect(await kindsOf("/")).toEqual(expect.arrayContaining(["Organization", "Product"]));
  expect(await kindsOf("/pricing")).toContain("Product");
  const faqs = structuredDataIn(await readPage("/faqs")).find((thing) => thing["@type"] === "FAQPage");
  expect(Array.isArray(faqs?.mainEntity) && faqs.mainEntity.length).toBeGreaterThan(7);
  const articles = paths.filter((path) => path.startsWith("/blog/"));
  expect(articles.length).toBeGreaterThanOrEqual(4);
  for (const path of articles) {
    const posting = structuredDataIn(await readPage(path)).find((thing) => thing["@type"] === "BlogPosting");
    expect(posting).toMatchObject({ url: builtFor + path, datePublished: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  }
});

test("A-85 sitemap, robots, manifest and icons match the menus, and robots are blocked from /app", async () => {
  const { builtFor, paths } = await readSitemap();
  expect(new Set(paths).size).toBe(paths.length);
  const indexed = PAGE_PATHS.filter((path) => pageCopyOf(path, NAME).isIndexed !== false);
  expect(paths.filter((path) => !path.startsWith("/blog/")).toSorted()).toEqual(indexed.toSorted());
  expect(SITE_PAGES.map(({ path }) => path).filter((path) => !paths.includes(path))).toEqual([]);

  const { text: robots } = await callApp("/robots.txt");
  expect(robots).toContain(`Sitemap: ${builtFor}/sitemap.xml`);
  expect(robots.split("\n").filter((line) => line.startsWith("Disallow:"))).toEqual([
    "Disallow: /api/",
    "Disallow: /app$",
    "Disallow: /app/",
  ]);

  const manifest = Object((await callApp("/manifest.webmanifest")).json);
  expect(manifest).toMatchObject({ name: NAME, start_url: "/app", display: "standalone" });
  for (const icon of manifest.icons) {
    const { format, width, height } = await sharp((await readFile(icon.src)).bytes).metadata();
    expect([format, `${width}x${height}`]).toEqual(["png", icon.sizes]);
  }
  const favicon = await readFile("/favicon.ico");
  expect([favicon.status, favicon.bytes.subarray(0, 4)]).toEqual([200, Buffer.from([0, 0, 1, 0])]);
  expect((await callApp("/share/no-such-picture.jpg")).status).toBe(404);
});

describe("the public site", () => {
  const get: Get = async (path) => {
    const { status, type, bytes } = await readFile(path);
    return { status, type: type ?? "", text: bytes.toString("utf8") };
  };

  test("has no broken links, anchors or files", async () => {
    const { builtFor, paths } = await readSitemap();
    const crawler = new Crawler(get, inject("app").baseUrl, builtFor);
    const waiting = new Set<string>([...PAGE_PATHS, ...paths, "/no-such-page"]);
    for (const path of waiting) {
      const { facts } = await crawler.visit(path);
      if (!facts) continue;
      const inside = await crawler.check(path, facts);
      for (const next of inside) waiting.add(next);
    }
    expect(crawler.broken).toEqual([]);
    expect(crawler.visits.get("/no-such-page")?.status).toBe(404);
    expect(waiting.size).toBeGreaterThan(PAGE_PATHS.length);
  });

  test("R-ROUTE-08, A-85 the blog has an index, articles with anchors, related articles and a feed", async () => {
    const { text: blog } = await callApp("/blog");
    const index = readHtml(blog);
    expect(index.headings).toEqual(["Notes for people who pin"]);
    const articles = new Set(index.links.filter((path) => /^\/blog\/[a-z-]+$/.test(path)));
    expect(articles.size).toBeGreaterThanOrEqual(4);
    for (const path of articles) {
      const { text } = await callApp(path);
      expect(index.subheadings, path).toEqual(expect.arrayContaining(readHtml(text).headings));
      const headings = [...text.matchAll(/<h2[^>]* id="([^"]+)"/g)].map(([, id]) => id);
      const contents = text.match(/<nav[^>]*aria-label="In this article"[\s\S]*?<\/nav>/)?.[0] ?? "";
      const anchors = readHtml(contents).links.map((link) => link.slice(1));
      expect(anchors.length, path).toBeGreaterThan(1);
      expect(headings, path).toEqual(expect.arrayContaining(anchors));
      const others = readHtml(text.slice(text.indexOf("Keep reading"))).links.filter((link) => articles.has(link));
      expect(new Set(others).size, path).toBe(2);
      expect(others, path).not.toContain(path);
    }

    const feed = await callApp("/blog/rss.xml");
    expect(feed.headers.get("content-type")).toContain("application/rss+xml");
    const items = [...feed.text.matchAll(/<item>[\s\S]*?<link>([^<]+)<\/link>/g)].map(([, url = ""]) => new URL(url));
    expect(items.map(({ pathname }) => pathname).toSorted()).toEqual([...articles].toSorted());
  });
});
