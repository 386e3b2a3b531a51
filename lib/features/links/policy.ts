import { URL_MAX } from "#lib/core/paths.ts";
import type { LinkAnswer, ThrottledResult } from "#lib/integrations/links/port.ts";
import {
  HOST_CHECKS_MAX,
  HOST_MAX,
  type LinkState,
  RESERVED_GAP_MS,
  RESERVED_WINDOW_MS,
  SHARED_HOSTS,
  SHORTENERS,
} from "./constants.ts";
import type { LinkCheck } from "./schema.ts";

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");

/** Second-level labels under which some countries register names, as in `shop.co.uk`. */
const SHARED_LABELS = new Set("ac co com edu gob gov id ltd me mil ne net nom or org plc sch".split(" "));

const SHARED = new Set(SHARED_HOSTS);

/**
 * What the requests to all sites of a shared host count under, such as `*.payhip.com`; null for other sites. The host's own
 * address is one of those sites, with a limit of its own.
 */
export const sharedTotalOf = (site: string): string | null => {
  const host = [site, site.slice(site.indexOf(".") + 1)].find((name) => SHARED.has(name));
  return host === undefined ? null : `*.${host}`;
};

/**
 * The registered domain of a URL, whose checks share one rate limit; the whole host when it is an IP address. On a shared
 * host, such as `myshopify.com`, each name below it is a site.
 */
export const rateLimitedSiteOf = (url: string): string => {
  const host = hostOf(url).replace(/\.$/, "");
  if (host.startsWith("[") || /^[\d.]+$/.test(host)) return host;
  const labels = host.split(".");
  const [shared = "", country = ""] = labels.slice(-2);
  const isShared = (country.length === 2 && SHARED_LABELS.has(shared)) || SHARED.has(`${shared}.${country}`);
  return labels
    .slice(isShared ? -3 : -2)
    .join(".")
    .slice(0, HOST_MAX);
};

/**
 * When a site accepts another request, in ms; `timesMs` are those within the last minute and the reserved ones. At most
 * the limit falls into any minute, even if reserved ones are late.
 */
export const nextRequestMs = (timesMs: readonly number[], nowMs: number): number => {
  const newestFirst = timesMs.toSorted((a, b) => b - a);
  const oldest = newestFirst[HOST_CHECKS_MAX - 1];
  if (oldest === undefined) return nowMs;
  const [newest = nowMs] = newestFirst;
  return Math.max(nowMs, oldest + RESERVED_WINDOW_MS, newest + RESERVED_GAP_MS);
};

/** The first time from `fromMs` on that keeps the limit too, also if it comes before others that are reserved. */
export const firstFreeMs = (timesMs: readonly number[], fromMs: number, max: number): number => {
  const sorted = timesMs.toSorted((a, b) => a - b);
  let atMs = fromMs;
  for (;;) {
    const near = sorted.filter((time) => Math.abs(time - atMs) < RESERVED_WINDOW_MS);
    const isFull = (first: number, at: number): boolean => {
      const last = near[at + max - 1];
      return last !== undefined && Math.max(last, atMs) - Math.min(first, atMs) < RESERVED_WINDOW_MS;
    };
    const blocking = near.findLast(isFull);
    if (blocking === undefined) return atMs;
    atMs = blocking + RESERVED_WINDOW_MS;
  }
};

const siteOf = (url: string): string => hostOf(url).replace(/^www\./, "");

const isGone = (status: number): boolean => status === 404 || status === 410;

/** What the page's own status says; null when it is fine. */
const boardProblem = (status: number): LinkState | null => {
  if (isGone(status)) return "dead";
  // A page that refuses checkers (401, 403, 429 …) exists; a final redirect means a loop.
  return status >= 500 || (status >= 300 && status < 400) ? "unreachable" : null;
};

const stateOf = (url: string, finalUrl: string): LinkState => {
  if (SHORTENERS.includes(siteOf(url))) return "shortener";
  if (siteOf(url) !== siteOf(finalUrl)) return "redirects";
  return new URL(url).protocol === "http:" || new URL(finalUrl).protocol === "http:" ? "insecure" : "ok";
};

/** The result of a check. It only ever warns: nothing is changed or held back. */
export const evaluateAnswer = (url: string, answer: Exclude<LinkAnswer, ThrottledResult>): LinkCheck => {
  const finalUrl = answer.finalUrl === url ? null : answer.finalUrl;
  const found = (state: LinkState, httpStatus: number | null = null): LinkCheck => ({ state, finalUrl, httpStatus });
  switch (answer.kind) {
    case "answered":
      return found(boardProblem(answer.status) ?? stateOf(url, answer.finalUrl), answer.status);
    case "no_host":
      return found("dead");
    case "no_answer":
      return found("unreachable");
    case "untrusted":
      return found("untrusted");
    case "refused":
      return found("refused");
    case "offline":
      return found("offline");
  }
};

const refusal = (at: URL): string => {
  if (at.href.length > URL_MAX)
    return `This link leads to a URL longer than ${URL_MAX.toLocaleString("en")} characters, so it wasn't checked.`;
  if (at.protocol !== "http:" && at.protocol !== "https:")
    return "This link doesn't open a web page. Use a link that starts with http:// or https://.";
  if (at.username !== "" || at.password !== "")
    return "This link contains a username or password. Anyone who sees the pin could read it.";
  if (at.port !== "")
    return `This link uses port ${at.port}, so it wasn't checked and may not open on every network. Use a link without a port if you can.`;
  return `This link leads to a private network (${at.hostname}), so no one else can open it.`;
};

const deadText = (url: string, httpStatus: number | null): string =>
  httpStatus === null
    ? `There is no site at ${hostOf(url)}. Check the link for typos.`
    : `This page doesn't exist (${httpStatus}). Check the link.`;

const unreachableText = (url: string, httpStatus: number | null): string => {
  if (httpStatus === null)
    return `${hostOf(url)} didn't respond when we checked the link. Open it yourself to be sure.`;
  return httpStatus < 400
    ? "This link redirects too many times to load. Use the final URL."
    : `${hostOf(url)} returned an error (${httpStatus}) when we checked the link. Open it yourself to be sure.`;
};

/** The warning to show before a pin is published, in one sentence; null when there is none. `url`: the pin's link. */
export const warningOf = (url: string | null, check: LinkCheck | null): string | null => {
  if (url === null || !check || !URL.canParse(url)) return null;
  const last = check.finalUrl ?? url;
  switch (check.state) {
    case "pending":
    case "ok":
      return null;
    case "redirects":
      return `This link redirects to another site: ${hostOf(last)}. Link to the final page if you can.`;
    case "shortener":
      return `${hostOf(url)} is a link shortener, and Pinterest often rejects those. Use the full URL instead${check.finalUrl ? ` (${hostOf(last)})` : ""}.`;
    case "insecure":
      return last.startsWith("https:")
        ? "This link starts with http, but its site supports https. Use https://."
        : "This link isn't secure (http), so browsers may warn people. Use an https:// link if the site has one.";
    case "untrusted":
      return `The certificate for ${hostOf(last)} isn't valid, so browsers warn people who follow this link.`;
    case "dead":
      return deadText(last, check.httpStatus);
    case "unreachable":
      return unreachableText(last, check.httpStatus);
    case "refused":
      return refusal(new URL(last));
    case "offline":
      return "We couldn't check this link because our server is offline right now.";
  }
};

export const hasLinkWarning = (state: LinkState | null): boolean =>
  state !== null && state !== "pending" && state !== "ok" && state !== "offline";

export const LINK_LABELS: Record<LinkState, string> = {
  pending: "",
  ok: "",
  redirects: "Link redirects",
  shortener: "Short link",
  insecure: "Not secure",
  untrusted: "Invalid certificate",
  dead: "Broken link",
  unreachable: "No response",
  refused: "Private link",
  offline: "",
};
