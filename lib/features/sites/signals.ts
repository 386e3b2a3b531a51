import "server-only";
import { parseHtml } from "#lib/features/pages/markup.ts";
import { tidyUrl } from "#lib/features/pages/tidy.ts";
import type { ListingKind } from "./listings.ts";

export interface Api {
  kind: ListingKind;
  /** The URL of its n-th page, from 1. */
  urlOf: (page: number) => string;
  perPage: number;
}

const APIS: Record<ListingKind, (base: string) => Api> = {
  shopify: (base) => ({
    ...{ kind: "shopify", perPage: 250 },
    urlOf: (page) => new URL(`/products.json?limit=250&page=${page}`, base).href,
  }),
  woocommerce: (base) => ({
    ...{ kind: "woocommerce", perPage: 100 },
    urlOf: (page) => new URL(`wc/store/v1/products?per_page=100&page=${page}`, base).href,
  }),
  wordpress: (base) => ({
    ...{ kind: "wordpress", perPage: 100 },
    urlOf: (page) =>
      new URL(
        `wp/v2/posts?per_page=100&page=${page}&_embed=wp:featuredmedia,wp:term&_fields=link,title,date_gmt,_links,_embedded`,
        base,
      ).href,
  }),
};

interface Signals {
  apis: Api[];
  feeds: string[];
}

const FEED_TYPES = /^application\/(rss|atom)\+xml\b/i;
const FEEDS_MAX = 3;

/** What a page says about its site's kind and feeds. WordPress names its API, which may be in a folder. */
export const signalsOf = (html: string, url: string): Signals => {
  const feeds = new Set<string>();
  let wordPress: string | null = null;
  parseHtml(html, {
    onopentag: (name, { rel = "", type = "", href = "" }) => {
      if (name !== "link") return;
      // Feeds of comments aren't pages.
      const isFeed = /\balternate\b/i.test(rel) && FEED_TYPES.test(type) && !/comments/i.test(href);
      const feed = isFeed && feeds.size < FEEDS_MAX ? tidyUrl(href, url) : null;
      if (feed !== null) feeds.add(feed);
      if (rel === "https://api.w.org/") wordPress ??= tidyUrl(href, url);
    },
  });
  const isWordPress = wordPress !== null || /\/wp-(content|includes)\//.test(html);
  const root = wordPress ?? new URL("/wp-json/", url).href;
  const apis = [
    ...(/cdn\.shopify\.com|Shopify\.(shop|theme)/.test(html) ? [APIS.shopify(url)] : []),
    ...(isWordPress && /woocommerce/i.test(html) ? [APIS.woocommerce(root)] : []),
    ...(isWordPress ? [APIS.wordpress(root)] : []),
  ];
  return { apis, feeds: [...feeds] };
};
