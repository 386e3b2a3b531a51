import { expect, type Page } from "@playwright/test";
import sharp from "sharp";
import { PAGE_PATHS, pageCopyOf } from "#components/site/page-copy.ts";
import { SITE_PAGES } from "#components/site/pages.ts";
import { Crawler } from "./support/crawl.ts";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { type HtmlFacts, readHtml } from "./support/read-html.ts";
import { test } from "./support/test.ts";

const NAME = "Evertack";

/** The paths that the sitemap lists, and the origin that the pages were built for. */
const readSitemap = async (page: Page): Promise<{ builtFor: string; paths: string[] }> => {
  const answer = await page.request.get("/sitemap.xml");
  expect(answer.status()).toBe(200);
  expect(answer.headers()["content-type"]).toContain("xml");
  const urls = [...(await answer.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = ""]) => new URL(url));
  const [first] = urls;
  if (!first) throw new Error("The sitemap is empty.");
  expect(new Set(urls.map(({ origin }) => origin)).size).toBe(1);
  return { builtFor: first.origin, paths: urls.map(({ pathname }) => pathname) };
};

const inMenus = new Set<string>(SITE_PAGES.map(({ path }) => path));

const readPage = async (page: Page, path: string): Promise<HtmlFacts> => {
  const answer = await page.request.get(path);
  expect([path, answer.status()]).toEqual([path, 200]);
  return readHtml(page, await answer.text());
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
const checkImage = async (page: Page, facts: HtmlFacts, origins: string[], path: string): Promise<string> => {
  const { origin, pathname, search } = new URL(facts.metas["og:image"] ?? "");
  const imagePath = pathname + search;
  expect(origins, path).toContain(origin);
  expect(imagePath, path).toMatch(/^\/share\/[\w/-]+\.jpg\?v=[0-9a-f]+$/);
  const answer = await page.request.get(imagePath);
  expect([path, answer.status(), answer.headers()["content-type"]]).toEqual([path, 200, "image/jpeg"]);
  const { width, height } = await sharp(await answer.body()).metadata();
  expect([path, width, height]).toEqual([path, 1200, 630]);
  expect([facts.metas["og:image:width"], facts.metas["og:image:height"]]).toEqual(["1200", "630"]);
  expect(facts.metas["og:image:alt"], path).not.toBe("");
  return imagePath;
};

test("R-ROUTE-01, R-ROUTE-02, R-ROUTE-03, R-ROUTE-04, R-ROUTE-05, R-ROUTE-06, R-ROUTE-07, R-ROUTE-08, R-ROUTE-09, R-ROUTE-10, R-ROUTE-11, R-ROUTE-12, R-ROUTE-13, R-ROUTE-14, A-85 every public page has a title, description, canonical URL, share image and valid JSON-LD; sitemap, robots, manifest and icons match", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const { builtFor, paths } = await readSitemap(page);
  // Static pages contain the origin they were built for, dynamic pages the running one.
  const origins = [builtFor, new URL(baseURL ?? "").origin];
  const titles: string[] = [];
  const images: string[] = [];
  for (const path of new Set([...PAGE_PATHS, ...paths])) {
    const facts = await readPage(page, path);
    const { metas } = facts;
    titles.push(facts.title);
    images.push(await checkImage(page, facts, origins, path));
    expect([path, facts.lang, facts.headings]).toEqual([path, "en", 1]);
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

  // Structured data: organization and product on the landing page, questions on FAQs, articles in the blog.
  const kindsOf = async (path: string) => structuredDataIn(await readPage(page, path)).map((thing) => thing["@type"]);
  expect(await kindsOf("/")).toEqual(expect.arrayContaining(["Organization", "Product"]));
  expect(await kindsOf("/pricing")).toContain("Product");
  const faqs = structuredDataIn(await readPage(page, "/faqs")).find((thing) => thing["@type"] === "FAQPage");
  expect(Array.isArray(faqs?.mainEntity) && faqs.mainEntity.length).toBeGreaterThan(7);
  const catalogItems = paths.filter((path) => path.startsWith("/blog/"));
  expect(catalogItems.length).toBeGreaterThanOrEqual(4);
  for (const path of catalogItems) {
    const posting = structuredDataIn(await readPage(page, path)).find((thing) => thing["@type"] === "BlogPosting");
    expect(posting).toMatchObject({ url: builtFor + path, datePublished: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  }

  // Sitemap, robots, manifest and icons match the menus, and robots are blocked from /app.
  expect(new Set(paths).size).toBe(paths.length);
  const indexed = PAGE_PATHS.filter((path) => pageCopyOf(path, NAME).isIndexed !== false);
  expect(paths.filter((path) => !path.startsWith("/blog/")).toSorted()).toEqual(indexed.toSorted());
  expect(SITE_PAGES.map(({ path }) => path).filter((path) => !paths.includes(path))).toEqual([]);

  const robots = await (await page.request.get("/robots.txt")).text();
  expect(robots).toContain(`Sitemap: ${builtFor}/sitemap.xml`);
  expect(robots.split("\n").filter((line) => line.startsWith("Disallow:"))).toEqual([
    "Disallow: /api/",
    "Disallow: /app$",
    "Disallow: /app/",
  ]);

  const manifest = await (await page.request.get("/manifest.webmanifest")).json();
  expect(manifest).toMatchObject({ name: NAME, start_url: "/app", display: "standalone" });
  for (const icon of manifest.icons) {
    const answer = await page.request.get(icon.src);
    const { format, width, height } = await sharp(await answer.body()).metadata();
    expect([format, `${width}x${height}`]).toEqual(["png", icon.sizes]);
  }
  const favicon = await page.request.get("/favicon.ico");
  expect([favicon.status(), (await favicon.body()).subarray(0, 4)]).toEqual([200, Buffer.from([0, 0, 1, 0])]);
  expect((await page.request.get("/share/no-such-picture.jpg")).status()).toBe(404);
});

test("the public site has no broken links, anchors or files", async ({ page, baseURL }) => {
  test.setTimeout(240_000);
  const { builtFor, paths } = await readSitemap(page);
  const crawler = new Crawler(page, baseURL ?? "", builtFor);
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

/** The path with the names of its parameters: links that differ only in values, such as dates, lead to one screen. */
const shapeOf = (path: string): string => {
  const { pathname, searchParams } = new URL(path, "https://example.com");
  return [pathname, ...[...searchParams.keys()].toSorted()].join(" ");
};

test("the signed-in area has no broken links", async ({ page, baseURL }) => {
  test.setTimeout(240_000);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await insertGenerated(id, ["linked moss", "linked fern"]);
  const { builtFor } = await readSitemap(page);
  const crawler = new Crawler(page, baseURL ?? "", builtFor);
  const waiting = new Set(["/app"]);
  for (const path of waiting) {
    await page.goto(path);
    await expect(page.locator("[inert]")).toHaveCount(0);
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    const shown = await readHtml(page, await page.content());
    // Check anchors in the rendered page, since its initial HTML may not contain them.
    const here = shown.links.filter((address) => address.startsWith("#") && address !== "#");
    expect(here.filter((address) => !shown.anchors.includes(address.slice(1)))).toEqual([]);
    const links = shown.links.filter((address) => !address.startsWith("#"));
    const inside = await crawler.check(path, { links, files: [] });
    for (const next of inside) {
      const isNew = ![...waiting].some((known) => shapeOf(known) === shapeOf(next));
      if (isNew && /^\/app(\/|$)/.test(next)) waiting.add(next);
    }
  }
  expect(crawler.broken).toEqual([]);
  expect(waiting.size).toBeGreaterThanOrEqual(15);
  expect(waiting.size, [...waiting].join(" ")).toBeLessThan(40);
});
