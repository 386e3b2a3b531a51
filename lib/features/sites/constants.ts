import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** A feed or sitemap is read up to here. */
export const ENTRIES_MAX = 50_000;
/** Inflated. The largest sitemap that search engines accept has 50 MB. */
export const DOCUMENT_BYTES_MAX = 60_000_000;
export const ROBOTS_BYTES_MAX = 500_000;
/** Pages and JSON, which are read as a whole. */
export const TEXT_CHARS_MAX = 10_000_000;

/** One reading makes at most this many requests, far below a site's limit per minute, and starts none after that time. */
export const REQUESTS_MAX = 20;
export const READING_MS = 25 * SECOND_MS;
/** Listed pages are compared with the rules of robots.txt for at most this long. */
export const MATCHING_MS = 2 * SECOND_MS;

/** How long a process keeps a site's robots.txt for pages that are read one by one, and one that couldn't be read. */
export const ROBOTS_FRESH_MS = HOUR_MS;
export const ROBOTS_FAILED_MS = 10 * MINUTE_MS;
/** How many sites' robots.txt a process caches. */
export const ROBOTS_KEPT_MAX = 100;

/** Pages of one answer; a search finds those beyond it. */
export const LISTED_MAX = 1_000;
/** URLs of a pasted list, and how many of their pages are read at once for a title and an image. */
export const PASTED_MAX = 1_000;
export const PASTED_READ_MAX = 20;
export const PASTED_AT_ONCE = 4;
export const INPUT_MAX = 200_000;
export const SEARCH_MAX = 100;

/** Of a page, in characters and items. */
export const ENTRY_LIMITS = { title: 200, tag: 60, tags: 10 } as const;

const SITE_KINDS = ["wordpress", "shopify", "woocommerce", "feed", "sitemap", "list"] as const;
export type SiteKind = (typeof SITE_KINDS)[number];

export const KIND_LABELS: Record<SiteKind, string> = {
  wordpress: "WordPress",
  shopify: "Shopify",
  woocommerce: "WooCommerce",
  feed: "Feed",
  sitemap: "Sitemap",
  list: "Your list",
};

export const WATCHES_MAX = 10;
export const CHECK_EVERY_MS = DAY_MS;
/** After a busy site, while we were offline, and the first times that a site fails in a way that may pass. */
export const CHECK_AGAIN_MS = HOUR_MS;
export const CHECKED_AGAIN_SOON_MAX = 3;
/** Sites found due at once, and read at the same time. */
export const CHECKS_PER_ROUND = 100;
export const CHECKS_AT_ONCE = 4;
/** With a step per four sites, a run stays below the engine's limit of 1,000 steps. It reads up to 3,600 sites. */
export const ROUNDS_PER_RUN = 36;
export const PROPOSALS_PER_CHECK = 50;
/** Open proposals of a user; more aren't added. */
export const PROPOSALS_MAX = 500;
/** A page that is new to us but older than this isn't new. */
export const NEW_PAGE_MS = 60 * DAY_MS;
/** Pages that a watch remembers. */
export const KNOWN_MAX = 60_000;

export const TEXTS = {
  noAddress: "Enter the URL of your site, feed, or sitemap, or paste a list of page URLs.",
  inputTooLong: "This list is too long. Paste fewer URLs.",
  tooManyUrls: `A list can have up to ${PASTED_MAX} URLs.`,
  tooManyWatches: `You can watch up to ${WATCHES_MAX} sites. Stop watching one first.`,
  readingFailed: "Something went wrong on our end. We'll read this site again soon.",
  notWatchable: "A list of URLs can't be watched. Enter the URL of a site, feed, or sitemap.",
} as const;
