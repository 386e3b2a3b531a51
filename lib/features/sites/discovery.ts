import "server-only";
import type { Ctx } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { countBroken, isMisread, isOtherAlphabet } from "#lib/core/text.ts";
import { readPageFacts } from "#lib/features/pages/facts.ts";
import { unreadText } from "#lib/features/pages/policy.ts";
import { readPage } from "#lib/features/pages/readings.ts";
import { dateOrNull, tidyUrl } from "#lib/features/pages/tidy.ts";
import {
  ENTRIES_MAX,
  PASTED_AT_ONCE,
  PASTED_MAX,
  PASTED_READ_MAX,
  type SiteKind,
  TEXT_CHARS_MAX,
} from "./constants.ts";
import { type ListingKind, readListing } from "./listings.ts";
import { isTemporary, linesOf, mayExist, plausibleDate, siteOf, siteProblemText, toAddress } from "./policy.ts";
import { createSiteRequests, type SiteAnswer, type SiteRequests } from "./requests.ts";
import type { PageEntry, SiteListing, UnreadSite } from "./schema.ts";
import { type Api, signalsOf } from "./signals.ts";
import { beginsAsXml, createXmlReader, type XmlDocument } from "./xml.ts";

const unread = (reason: string, status: number | null = null): UnreadSite => ({ kind: "unread", reason, status });

const toUnread = (answer: Exclude<SiteAnswer, { kind: "fetched" }>): UnreadSite =>
  answer.kind === "status" ? unread("status", answer.status) : unread(answer.kind);

/** What a URL leads to. `xml`: a feed, sitemap, or index. `text`: a page, JSON, or anything else. */
type Content = { url: string } & ({ kind: "xml"; document: XmlDocument } | { kind: "text"; text: string });

const BEGINNING_CHARS = 1_000;
/** This many titles are enough to tell the encoding. */
const TITLES_JUDGED = 100;

/** Reads a document, whose first characters decide what it is. */
const fetchContent = async (requests: SiteRequests, url: string): Promise<Content | UnreadSite> => {
  let beginning = "";
  let text = "";
  let [chars, broken] = [0, 0];
  let reader: ReturnType<typeof createXmlReader> | null = null;
  const begin = (): boolean => {
    if (beginsAsXml(beginning)) reader = createXmlReader(url);
    const all = beginning;
    beginning = "";
    return pass(all);
  };
  const pass = (part: string): boolean => {
    chars += part.length;
    broken += countBroken(part);
    if (reader) return reader.write(part);
    text += part;
    return text.length < TEXT_CHARS_MAX;
  };
  let hasBegun = false;
  const answer = await requests.read(url, (part) => {
    if (hasBegun) return pass(part);
    beginning += part;
    if (beginning.length < BEGINNING_CHARS) return true;
    hasBegun = true;
    return begin();
  });
  if (answer.kind !== "fetched") return toUnread(answer);
  if (!hasBegun) begin();
  if (isMisread({ broken, chars })) return unread("charset");
  const { finalUrl } = answer;
  // Assigned in a closure, which the compiler doesn't see.
  const xml = reader as ReturnType<typeof createXmlReader> | null;
  if (!xml) return { kind: "text", url: finalUrl, text };
  const document = xml.end();
  if (document.hasEntities) return unread("entities");
  const titles = document.entries.slice(0, TITLES_JUDGED).map(({ title }) => title ?? "");
  return isOtherAlphabet(titles.join(" ")) ? unread("charset") : { kind: "xml", url: finalUrl, document };
};

const listed = (
  site: SiteKind,
  address: string,
  name: string | null,
  parts: Pick<SiteListing, "entries" | "isCut">,
): SiteListing => ({
  ...{ kind: "listed", site, address },
  name: name ?? siteOf(address),
  ...parts,
});

const byDate = (a: XmlDocument["sitemaps"][number], b: XmlDocument["sitemaps"][number]): number =>
  (b.date?.getTime() ?? 0) - (a.date?.getTime() ?? 0);

type Part = Pick<SiteListing, "entries" | "isCut">;

/**
 * The sitemaps of an index, the last changed first, as many as one reading may request. Indexes in it aren't followed.
 * Without pages, why one that may have some couldn't be read.
 */
const readIndex = async (requests: SiteRequests, { sitemaps }: XmlDocument): Promise<Part | UnreadSite> => {
  const entries = new Map<string, PageEntry>();
  let isCut = false;
  let failed: UnreadSite | null = null;
  for (const { url } of sitemaps.toSorted(byDate)) {
    if (!requests.hasMore() || entries.size >= ENTRIES_MAX) {
      isCut = true;
      failed ??= unread("spent");
      break;
    }
    const content = await fetchContent(requests, url);
    if (content.kind === "unread") {
      isCut = true;
      if (mayExist(content)) failed ??= content;
    }
    if (content.kind !== "xml") continue;
    isCut ||= content.document.isCut;
    for (const entry of content.document.entries) if (entries.size < ENTRIES_MAX) entries.set(entry.url, entry);
  }
  return entries.size === 0 && failed ? failed : { entries: [...entries.values()], isCut };
};

const readXml = async (
  requests: SiteRequests,
  { url, document }: Extract<Content, { kind: "xml" }>,
): Promise<SiteListing | UnreadSite> => {
  const { kind, title, entries, isCut } = document;
  const parts = kind === "index" ? await readIndex(requests, document) : { entries, isCut };
  if (kind === null) return unread("not_feed");
  if ("kind" in parts) return parts;
  if (parts.entries.length === 0) return unread("empty");
  return listed(kind === "feed" ? "feed" : "sitemap", url, title, parts);
};

/** Requests of one API in a reading, so that a shop's blog gets its share. */
const API_PAGES_MAX = 8;

/** All pages of a public API. Null if the site has no such API. A temporary failure isn't null. */
const readApi = async (requests: SiteRequests, api: Api): Promise<Part | UnreadSite | null> => {
  const entries: PageEntry[] = [];
  for (let page = 1; page <= API_PAGES_MAX; page += 1) {
    const url = api.urlOf(page);
    const content = await fetchContent(requests, url);
    const found = content.kind === "text" ? readListing(api.kind, content.text, content.url) : null;
    if (!found && page === 1) return content.kind === "unread" && mayExist(content) ? content : null;
    // WordPress refuses a page beyond the last one.
    if (!found) return { entries, isCut: content.kind !== "unread" || content.status !== 400 };
    entries.push(...found.entries);
    if (found.items < api.perPage) return { entries, isCut: false };
  }
  return { entries, isCut: true };
};

/** Of a shop's products and posts, those that can be read now. */
const readApis = async (
  requests: SiteRequests,
  url: string,
  apis: readonly Api[],
): Promise<SiteListing | UnreadSite | null> => {
  const found = new Map<string, PageEntry>();
  let [kind, isCut, failed]: [ListingKind | null, boolean, UnreadSite | null] = [null, false, null];
  for (const api of apis) {
    const part = await readApi(requests, api);
    if (part && "kind" in part) failed ??= part;
    else if (part && part.entries.length > 0) {
      kind ??= api.kind;
      isCut ||= part.isCut;
      for (const entry of part.entries) found.set(entry.url, entry);
    }
  }
  return kind ? listed(kind, url, null, { entries: [...found.values()], isCut: isCut || failed !== null }) : failed;
};

/** The first of these that is a feed or sitemap with pages, or else why one that may exist couldn't be read. */
const readFirst = async (requests: SiteRequests, urls: readonly string[]): Promise<SiteListing | UnreadSite | null> => {
  let failed: UnreadSite | null = null;
  for (const url of new Set(urls)) {
    if (!requests.hasMore()) {
      failed ??= unread("spent");
      break;
    }
    const content = await fetchContent(requests, url);
    const listing = content.kind === "xml" ? await readXml(requests, content) : content;
    if (listing.kind === "listed") return listing;
    if (listing.kind === "unread" && mayExist(listing)) failed ??= listing;
  }
  return failed;
};

const SITEMAPS_MAX = 5;

const sitemapsOf = async (requests: SiteRequests, url: string): Promise<string[]> => {
  const named = (await requests.sitemapsOf(url)).flatMap((sitemap) => tidyUrl(sitemap, url) ?? []);
  return [...named.slice(0, SITEMAPS_MAX), new URL("/sitemap.xml", url).href, new URL("/sitemap_index.xml", url).href];
};

/** JSON that was entered itself. */
const readJson = ({ url, text }: Extract<Content, { kind: "text" }>): SiteListing | null => {
  for (const kind of ["shopify", "wordpress", "woocommerce"] as const) {
    const found = readListing(kind, text, url);
    if (found && found.entries.length > 0)
      return listed(kind, url, null, { entries: found.entries, isCut: found.isCut });
  }
  return null;
};

/** Why a site without a feed can't be read: what keeps its own page from being read, if anything. */
const whyNothing = (content: Content | UnreadSite): UnreadSite => {
  if (content.kind === "unread") return content;
  const page = content.kind === "text" ? readPageFacts(content.text, content.url).kind : "read";
  return unread(page === "read" ? "not_feed" : page);
};

const hasNoSite = ({ reason }: UnreadSite): boolean => ["no_host", "refused", "untrusted", "entities"].includes(reason);

/**
 * Recognizes a site by its own public JSON, its feed, or its sitemap, in this order.
 * @param isKnown the address was listed before, so only its own XML or JSON counts. If its JSON API fails for now, no feed
 * or sitemap is used instead, because those list other pages.
 */
const readAddress = async (
  requests: SiteRequests,
  address: string,
  isKnown: boolean,
): Promise<SiteListing | UnreadSite> => {
  const content = await fetchContent(requests, address);
  if (content.kind === "xml") return readXml(requests, content);
  if (content.kind === "unread") {
    const isFinal = isKnown || hasNoSite(content) || isTemporary(content) || new URL(address).pathname !== "/";
    if (isFinal) return content;
  }
  const url = content.kind === "text" ? content.url : address;
  if (content.kind === "text") {
    const json = readJson(content);
    if (json) return json;
  }
  const { apis, feeds } = content.kind === "text" ? signalsOf(content.text, url) : { apis: [], feeds: [] };
  const found = await readApis(requests, url, apis);
  if (found?.kind === "listed") return found;
  if (isKnown) return found ?? whyNothing(content);
  const feed = await readFirst(requests, feeds);
  if (feed?.kind === "listed") return feed;
  const sitemap = await readFirst(requests, await sitemapsOf(requests, url));
  return sitemap?.kind === "listed" ? sitemap : (found ?? feed ?? sitemap ?? whyNothing(content));
};

/** A page of a pasted list, and why it can't be used. */
export type ListedPage = PageEntry & { problem?: string };

const readListed = async (ctx: Ctx<"links">, requests: SiteRequests, page: ListedPage): Promise<void> => {
  const { url } = page;
  let refusal = await requests.refusalOf(url);
  const mayRead = async (target: string): Promise<boolean> => {
    refusal = await requests.refusalOf(target);
    return refusal === null;
  };
  const found = refusal === null && requests.hasMore() ? await readPage(ctx, { url, mayRead }) : null;
  if (refusal && refusal.kind !== "fetched") page.problem = siteProblemText(toUnread(refusal));
  if (found?.kind === "unread") page.problem = unreadText(found);
  if (found?.kind !== "read") return;
  const { title, images, article } = found.facts;
  Object.assign(page, { title, image: images[0] ?? null, date: dateOrNull(article?.publishedAt) });
};

/** Pasted URLs. The first pages are read, which generation needs anyway; the others are known by their URLs only. */
const readList = async (
  ctx: Ctx<"links">,
  requests: SiteRequests,
  lines: readonly string[],
): Promise<SiteListing | UnreadSite> => {
  const urls = new Set(lines.slice(0, PASTED_MAX).flatMap((line) => toAddress(line) ?? []));
  if (urls.size === 0) return unread("not_address");
  const pages: ListedPage[] = [...urls].map((url) => ({ url, title: null, image: null, date: null, tags: [] }));
  await forEachConcurrently(pages.slice(0, PASTED_READ_MAX), PASTED_AT_ONCE, (page) => readListed(ctx, requests, page));
  const isCut = lines.length > PASTED_MAX;
  return { kind: "listed", site: "list", address: "", name: "Your list", entries: pages, isCut };
};

const readLines = async (
  ctx: Ctx<"links">,
  requests: SiteRequests,
  { lines, isKnown }: { lines: readonly string[]; isKnown: boolean },
): Promise<SiteListing | UnreadSite> => {
  if (lines.length > 1) return readList(ctx, requests, lines);
  const address = toAddress(lines[0] ?? "");
  const found = address === null ? unread("not_address") : await readAddress(requests, address, isKnown);
  ctx.log.set({ site_outcome: found.kind === "listed" ? found.site : found.reason });
  return found;
};

/** `isBlocked`: whether a robots.txt that the reading asked disallows a page. */
export type SiteReading = (SiteListing & { isBlocked: (url: string) => boolean }) | UnreadSite;

const read = async (ctx: Ctx<"links">, from: { lines: readonly string[]; isKnown: boolean }): Promise<SiteReading> => {
  const requests = createSiteRequests(ctx);
  const found = await readLines(ctx, requests, from);
  if (found.kind === "unread") return found;
  const now = ctx.now();
  const entries = found.entries.map((entry) => ({ ...entry, date: plausibleDate(entry.date, now) }));
  return { ...found, entries, isBlocked: requests.isBlocked };
};

/** The pages that a site lists, or those of a pasted list of URLs. Nothing is stored except the readings of pages. */
export const readSite = (ctx: Ctx<"links">, text: string): Promise<SiteReading> =>
  read(ctx, { lines: linesOf(text), isKnown: false });

/**
 * The pages at the address of a listing. If the address now shows something else, nothing is read, because its pages would
 * all look new.
 */
export const readSiteAgain = (ctx: Ctx<"links">, { address }: Pick<SiteListing, "address">): Promise<SiteReading> =>
  read(ctx, { lines: [address], isKnown: true });
