import { visible } from "#lib/core/text.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { hostOf } from "#lib/features/links/policy.ts";
import { unreadText } from "#lib/features/pages/policy.ts";
import type { PageEntry, UnreadSite } from "./schema.ts";

const REASON_TEXTS: Readonly<Record<string, string>> = {
  blocked:
    "The site's robots.txt blocks apps like ours. If it's your site, allow us there. Otherwise, create pins from keywords.",
  spent: "The site took too long. Try again, or enter the URL of its feed or sitemap.",
  too_large: "This file is larger than 60 MB. Enter a smaller feed or sitemap.",
  not_page: "This file is damaged. Enter a different feed or sitemap.",
  not_feed:
    "We couldn't find a shop, feed, or sitemap on this site. Enter the URL of its feed or sitemap, or paste your page URLs.",
  not_address: "This isn't the URL of a site. Check it for typos.",
  entities:
    "This feed defines custom XML entities, which we don't read for security reasons. Enter a different feed or sitemap.",
  charset:
    "The site's text doesn't match its declared character encoding, so we can't read it. Enter its feed or sitemap, or paste your page URLs.",
  empty: "We found no pages listed on this site. Paste their URLs instead.",
  too_many_redirects: "This URL redirects too many times. Open it in your browser, then enter the final URL.",
  no_host: "There's no site at this URL. Check it for typos.",
  refused: "This URL isn't public. Enter one that anyone can open.",
  login: "The site asks visitors to sign in and has no public feed or sitemap. Enter a site that anyone can open.",
  no_text:
    "The site's text only appears with JavaScript, and it has no public feed or sitemap. Create pins from keywords instead.",
  busy: "We've made many requests to this site recently. Try again in a minute.",
};

/** Why a site couldn't be read, in one or two sentences for its user. */
export const siteProblemText = ({ reason, status }: Pick<UnreadSite, "reason" | "status">): string => {
  const own = status === null ? REASON_TEXTS[reason] : undefined;
  if (own !== undefined) return own;
  const text = unreadText({ reason, status });
  return mayExist({ reason, status }) && !/\btry again\b/i.test(text) ? `${text} Try again later.` : text;
};

/** Says nothing about the site itself, so it is tried again soon. */
export const isTemporary = ({ reason }: Pick<UnreadSite, "reason">): boolean =>
  reason === "busy" || reason === "offline" || reason === "spent";

/** Whether something may be there although it couldn't be read now. */
export const mayExist = ({ reason, status }: Pick<UnreadSite, "reason" | "status">): boolean =>
  status === null
    ? isTemporary({ reason }) || reason === "no_answer" || reason === "no_route"
    : status >= 500 || status === 429 || status === 408;

/** A site as rights to its images are asked for: the host name without `www.`. */
export const siteOf = (url: string): string => hostOf(url).replace(/^www\./, "");

/** An absolute http or https URL of what was typed; null for anything else. `moss.example` gets `https://`. */
export const toAddress = (text: string): string | null => {
  const typed = text.trim();
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (/[\s\p{Cc}]/u.test(typed) || !URL.canParse(full)) return null;
  const url = new URL(full);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.username === "" && url.password === "" && /[.:]/.test(url.hostname + url.port) ? url.href : null;
};

/** The lines of a pasted text, also separated by spaces or commas before the next URL. */
export const linesOf = (text: string): string[] => [
  ...new Set(text.split(/\s+|,\s*(?=https?:\/\/)/u).filter((line) => line !== "")),
];

const ENDINGS = /\.(html?|php|aspx?|jsp|md)$/i;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
};

/** The words of a URL's last part that has letters: 'Moss garden' for `/blog/moss-garden.html`; else its host. */
export const titleOfUrl = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const { pathname, hostname } = new URL(url);
  const parts = pathname.split("/").map((part) =>
    visible(decoded(part))
      .replace(ENDINGS, "")
      .replace(/[-_+\s]+/gu, " ")
      .trim(),
  );
  const named = parts.findLast((part) => /\p{L}{2}/u.test(part)) ?? hostname;
  return named.charAt(0).toUpperCase() + named.slice(1);
};

const KEYWORD_WORDS = 7;
/** Parts that only name the site, or a section of it. */
const SEPARATOR = /\s+[|•·»–—-]\s+|\s*\|\s*/u;
/** They don't end a search. */
const LAST_WORDS = new Set(
  "a an and as at but by for from how in into is of on or our the this to with without your".split(" "),
);

const wordsOf = (text: string): string[] =>
  text
    .normalize("NFC")
    .replace(/\([^)]*\)|\[[^\]]*\]/gu, " ")
    .replace(/[^\p{L}\p{M}\p{N}'’&+%.,/-]+/gu, " ")
    .split(" ")
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}%+]+$/gu, ""))
    .filter((word) => word !== "");

/**
 * A keyword to start with, always the same for a page: the words of its title without the site's name, at most seven. A
 * longer title gives way to a tag of several words.
 */
export const suggestKeyword = ({ url, title, tags }: Pick<PageEntry, "url" | "title" | "tags">): string => {
  const [first = ""] = (title ?? titleOfUrl(url)).split(SEPARATOR);
  const words = wordsOf(first);
  const tag = words.length > KEYWORD_WORDS ? tags.find((one) => /\p{L}\s+\p{L}/u.test(one)) : undefined;
  const kept = (tag === undefined ? words : wordsOf(tag)).slice(0, KEYWORD_WORDS);
  while (kept.length > 1 && LAST_WORDS.has((kept.at(-1) ?? "").toLowerCase())) kept.pop();
  return kept.join(" ").toLowerCase() || titleOfUrl(url).toLowerCase();
};

const FIRST_DATE_MS = Date.UTC(1990);

/** A site's date, unless it is a mistake: before 1990, or more than a day after `now`. */
export const plausibleDate = (date: Date | null, now: Date): Date | null =>
  date !== null && date.getTime() >= FIRST_DATE_MS && date <= addMs(now, DAY_MS) ? date : null;

const newestFirst = (a: PageEntry, b: PageEntry): number => (b.date?.getTime() ?? 0) - (a.date?.getTime() ?? 0);

/** Those whose title or URL has all words, newest first; the others stay in the site's order. */
export const searchEntries = (entries: readonly PageEntry[], search: string): PageEntry[] => {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  const has = ({ url, title }: PageEntry) => {
    const text = `${title ?? titleOfUrl(url)} ${url}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return (words.length === 0 ? [...entries] : entries.filter(has)).sort(newestFirst);
};
