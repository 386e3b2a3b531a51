import { slugOf } from "./text.ts";

/** The screen that tells where credits came from and went. */
export const CREDITS_HISTORY_PATH = "/app/settings/credits";

/** Longer addresses are never asked: no page that people read has one. */
export const ADDRESS_MAX = 4_096;

const PROBE_ORIGIN = "https://path.invalid";

/** One slash, and no second one of any spelling: `//host` and `/\\host` lead to other sites. */
const isLocal = (path: string): boolean => /^\/(?![/\\]|%2f|%5c)/i.test(path);

/**
 * A path on this site from an untrusted text (`next`, remembered paths), else the fallback.
 * Refuses other origins, `//host`, `/\\host`, control characters and encoded slashes at the start, also where they
 * appear only after dot segments are resolved, as in `/.//host` (QUALITY §2, row 19).
 */
export const safePath = (value: unknown, fallback = "/app"): string => {
  if (typeof value !== "string" || value.length > 2_000) return fallback;
  if (!isLocal(value) || /[\\\p{Cc}]/u.test(value)) return fallback;
  const url = URL.canParse(value, PROBE_ORIGIN) ? new URL(value, PROBE_ORIGIN) : null;
  if (url?.origin !== PROBE_ORIGIN || !isLocal(url.pathname)) return fallback;
  if (/^\/(login|register)(\/|$)/.test(url.pathname)) return fallback;
  return url.pathname + url.search + url.hash;
};

/** An address for a link when it is http or https, else null; everything else is never rendered as a link. */
export const httpUrl = (value: string): string | null => {
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
};

/** The creator's query that fills its rows, once for each keyword. */
const WORD = "keyword";

/** Where the creator stands: its address bears the product's name. */
export const creatorPathOf = (productName: string): string => `/app/${slugOf(productName)}-creator`;

/** The creator with keywords in its rows. */
export const creatorAddress = (creatorPath: string, keywords: readonly string[]): string =>
  `${creatorPath}?${new URLSearchParams(keywords.map((keyword) => [WORD, keyword]))}`;

/**
 * The keywords that an address asks for: trimmed, without empty ones.
 * @param query of the page; anybody may have written it
 * @param bounds the most keywords, and the most characters of one, which is cut
 */
export const keywordsOf = (
  query: Readonly<Record<string, string | string[] | undefined>>,
  bounds: { count: number; length: number },
): string[] =>
  [query[WORD] ?? []]
    .flat()
    .map((keyword) => keyword.trim().slice(0, bounds.length))
    .filter((keyword) => keyword !== "")
    .slice(0, bounds.count);
