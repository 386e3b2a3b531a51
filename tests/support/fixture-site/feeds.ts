import { READABLE_PAGES, type SitePage } from "./pages.ts";

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const DAY_MS = 86_400_000;
const NEWEST_MS = Date.UTC(2026, 10, 20);

/** The first page is the newest. */
const dateOf = (at: number): Date => new Date(NEWEST_MS - at * DAY_MS);

const XML = '<?xml version="1.0" encoding="UTF-8"?>';

export const rssOf = (origin: string, pages: readonly SitePage[] = READABLE_PAGES): string =>
  `${XML}<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Fern &amp; Fork</title>
  <link>${origin}/</link>${pages
    .map(
      ({ path, title, kind }, at) => `<item><title><![CDATA[${title}]]></title><link>${origin}${path}</link>
    <guid isPermaLink="false">page-${path}</guid><pubDate>${dateOf(at).toUTCString()}</pubDate>
    <category>${kind}</category><media:content url="${origin}${path}.jpg" medium="image"/></item>`,
    )
    .join("")}</channel></rss>`;

export const atomOf = (pages: readonly SitePage[] = READABLE_PAGES): string =>
  `${XML}<feed xmlns="http://www.w3.org/2005/Atom"><title>Fern &amp; Fork</title><link rel="self" href="/atom.xml"/>${pages
    .map(
      ({ path, title, kind }, at) => `<entry><title type="html">${escapeXml(title)}</title>
    <author><name>Ada</name><title>Editor</title></author><id>tag:${path}</id><link rel="alternate" href="${path}"/>
    <updated>${dateOf(at).toISOString()}</updated><category term="${kind}"/>
    <content type="html">&lt;p&gt;&lt;img alt="" src="${path}.jpg"&gt;&lt;/p&gt;</content></entry>`,
    )
    .join("")}</feed>`;

export const sitemapOf = (origin: string, pages: readonly SitePage[] = READABLE_PAGES): string =>
  `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${pages
    .map(
      ({ path }, at) => `<url><loc> ${origin}${path} </loc><lastmod>${dateOf(at).toISOString().slice(0, 10)}</lastmod>
    <image:image><image:loc>${origin}${path}.jpg</image:loc></image:image></url>`,
    )
    .join("")}</urlset>`;

export const sitemapIndexOf = (urls: readonly string[]): string =>
  `${XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
    .map((url, at) => `<sitemap><loc>${url}</loc><lastmod>${dateOf(at).toISOString()}</lastmod></sitemap>`)
    .join("")}</sitemapindex>`;

const ofKind = (kind: SitePage["kind"]) => READABLE_PAGES.filter((page) => page.kind === kind);

/** One page of Shopify's `products.json`. */
export const shopifyOf = (origin: string): string =>
  JSON.stringify({
    products: ofKind("product").map(({ path, title }, at) => ({
      ...{ id: at, title, handle: path.slice(6), product_type: "Kitchen", tags: ["daily use"] },
      ...{ published_at: dateOf(at).toISOString(), images: [{ src: `${origin}${path}.jpg` }] },
    })),
  });

/** One page of WordPress' posts, with their embedded image and terms. */
export const wordPressOf = (origin: string): string =>
  JSON.stringify(
    ofKind("article").map(({ path, title }, at) => ({
      ...{ link: `${origin}${path}`, title: { rendered: escapeXml(title) } },
      date_gmt: dateOf(at).toISOString().slice(0, 19),
      _embedded: {
        "wp:featuredmedia": [{ source_url: `${origin}${path}.jpg` }],
        "wp:term": [
          [{ name: "Uncategorized", taxonomy: "category" }],
          [{ name: "small kitchens", taxonomy: "post_tag" }],
        ],
      },
    })),
  );

/** One page of WooCommerce's public products. */
export const wooOf = (origin: string): string =>
  JSON.stringify(
    ofKind("product").map(({ path, title }) => ({
      ...{ permalink: `${origin}${path}`, name: title, images: [{ src: `${origin}${path}.jpg` }] },
      ...{ tags: [{ name: "kitchen gifts" }], categories: [{ name: "Kitchen" }] },
    })),
  );
