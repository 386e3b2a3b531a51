import { slugOf } from "./text.ts";
import { isIsoDate } from "./time.ts";

export const CREDITS_HISTORY_PATH = "/app/settings/credits";

export const WEBHOOKS_PATH = "/app/settings/webhooks";

export const URL_MAX = 4_096;

const PROBE_ORIGIN = "https://path.invalid";

/** `//host` and `/\\host`, also encoded, lead to other sites. */
const isLocal = (path: string): boolean => /^\/(?![/\\]|%2f|%5c)/i.test(path);

/** Refuses other origins, `//host`, control characters and encoded slashes, even after dot segments (`/.//host`). */
export const safePath = (value: unknown, fallback = "/app"): string => {
  if (typeof value !== "string" || value.length > URL_MAX) return fallback;
  if (!isLocal(value) || /[\\\p{Cc}]/u.test(value)) return fallback;
  const url = URL.canParse(value, PROBE_ORIGIN) ? new URL(value, PROBE_ORIGIN) : null;
  if (url?.origin !== PROBE_ORIGIN || !isLocal(url.pathname)) return fallback;
  if (/^\/(login|register)(\/|$)/.test(url.pathname)) return fallback;
  return url.pathname + url.search + url.hash;
};

/** The URL when it is http or https, else null; nothing else may be rendered as a link. */
export const httpUrl = (value: string): string | null => {
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
};

const KEYWORD_PARAM = "keyword";

type SearchParams = Readonly<Record<string, string | string[] | undefined>>;

/** Dates such as `2026-11-27`, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/** Untrusted: the `from` and `to` of a query; null unless both are dates. */
export const dayRangeOf = ({ from, to }: SearchParams): DayRange | null =>
  typeof from === "string" && typeof to === "string" && isIsoDate(from) && isIsoDate(to) ? { from, to } : null;

export const GENERATED_POSTS_PATH = "/app/generated-posts";

/** Generated Posts of an account with these pins; without an account, of the chosen one. */
export const generatedPostsUrl = (status: "draft" | "failed" | "scheduled" | "all", accountId?: string): string =>
  `${GENERATED_POSTS_PATH}?${new URLSearchParams({ ...(accountId && { account: accountId }), status })}`;

/** The calendar of an account: at a date, or at the first of the days that its free slots are to be filled on. */
export const calendarUrl = (
  accountId: string,
  { date, days }: { date?: string | undefined; days?: DayRange | null } = {},
): string => {
  const shown = date ?? days?.from;
  return `/app/calendar?${new URLSearchParams({ account: accountId, ...(shown && { date: shown }), ...days })}`;
};

/** The posting slots of an account, from where `days` lead back to the calendar. */
export const slotsUrl = (accountId: string, days: DayRange | null = null): string =>
  `/app/calendar/slots?${new URLSearchParams({ account: accountId, ...days })}`;

export const creatorPathOf = (productName: string): string => `/app/${slugOf(productName)}-creator`;

/** What the creator is filled in with. `url` belongs to the first keyword. */
export interface CreatorStart {
  url: string | null;
  accountId: string | null;
  boardId: string | null;
  /** When the pins should be published. */
  days: DayRange | null;
}

/** Servers refuse URLs that are much longer. */
const CREATOR_URL_MAX = 6_000;

export const keywordQuery = (keywords: readonly string[]): URLSearchParams =>
  new URLSearchParams(keywords.map((keyword) => [KEYWORD_PARAM, keyword]));

/** Keywords that are too long for a URL go into its fragment, which isn't sent to servers. */
export const creatorUrl = (
  creatorPath: string,
  keywords: readonly string[],
  { url, accountId, boardId, days }: Partial<CreatorStart> = {},
): string => {
  const list = keywordQuery(keywords);
  const start = new URLSearchParams();
  for (const [name, value] of Object.entries({ url, account: accountId, board: boardId, ...days })) {
    if (value) start.set(name, value);
  }
  const href = `${creatorPath}?${[list, start].filter(({ size }) => size > 0).join("&")}`;
  return href.length <= CREATOR_URL_MAX ? href : `${creatorPath}?${start}#${list}`;
};

export type ImageSource = "generated" | "page";

export interface CreatorRow {
  keyword: string;
  url: string;
  imageSource: ImageSource;
}

/** The creator with these rows in the fragment, which may be long, since it isn't sent to servers. */
export const creatorRowsUrl = (creatorPath: string, rows: readonly CreatorRow[]): string => {
  const pairs = rows.flatMap(({ keyword, url, imageSource }) => [
    [KEYWORD_PARAM, keyword],
    ["url", url],
    ...(imageSource === "page" ? [["image", imageSource]] : []),
  ]);
  return `${creatorPath}#${new URLSearchParams(pairs)}`;
};

/** Rows of a fragment. Untrusted: cut to `bounds`, without rows that have no keyword. */
export const creatorRowsOf = (
  fragment: string,
  bounds: { count: number; keyword: number; url: number },
): CreatorRow[] => {
  const rows: CreatorRow[] = [];
  for (const [name, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const row = rows.at(-1);
    if (name === KEYWORD_PARAM) {
      rows.push({ keyword: value.trim().slice(0, bounds.keyword), url: "", imageSource: "generated" });
    } else if (row && name === "url") row.url = value.slice(0, bounds.url);
    else if (row && name === "image" && value === "page") row.imageSource = value;
  }
  return rows.filter(({ keyword }) => keyword !== "").slice(0, bounds.count);
};

/** Untrusted: trimmed, without empty ones, and cut to `bounds`. */
export const keywordsOf = (query: SearchParams, bounds: { count: number; length: number }): string[] =>
  [query[KEYWORD_PARAM] ?? []]
    .flat()
    .map((keyword) => keyword.trim().slice(0, bounds.length))
    .filter((keyword) => keyword !== "")
    .slice(0, bounds.count);

/** Untrusted: single values of the query, cut to `urlMax`. */
export const creatorStartOf = (query: SearchParams, urlMax: number): CreatorStart => {
  const single = (name: string): string | null => {
    const value = query[name];
    return typeof value === "string" && value !== "" ? value.slice(0, urlMax) : null;
  };
  return { url: single("url"), accountId: single("account"), boardId: single("board"), days: dayRangeOf(query) };
};

/** Of an encoded path in a header: proxies commonly allow 8 KB for all headers of a response. */
const NEXT_MAX = 6_000;

/** A page of the sign-in, which leads on to `next` unless that is longer than `safePath` or a header accepts. */
export const pathWithNext = (page: string, next: string): string => {
  const encoded = encodeURIComponent(next);
  return next.length <= URL_MAX && encoded.length <= NEXT_MAX ? `${page}?next=${encoded}` : page;
};

export const loginPath = (path: string | null): string => (path === null ? "/login" : pathWithNext("/login", path));
