import { ADDRESS_MAX } from "#lib/core/paths.ts";
import type { LinkAnswer, PacedAnswer } from "#lib/integrations/links/port.ts";
import { HOST_MAX, type LinkState, SHORTENERS } from "./constants.ts";
import type { LinkCheck } from "./schema.ts";

/** The host of an address, as people know it. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");

/** Second labels below which countries hand out names, as in `shop.co.uk`. */
const SHARED_LABELS = new Set("ac co com edu gob gov id ltd me mil ne net nom or org plc sch".split(" "));

/**
 * The site of an address, as checks are paced by it: what its owner registered, so that names below it have no share of
 * their own; the whole address where it is a number. Of a longer one its beginning.
 */
export const pacedBy = (url: string): string => {
  const host = hostOf(url).replace(/\.$/, "");
  if (host.startsWith("[") || /^[\d.]+$/.test(host)) return host;
  const labels = host.split(".");
  const [shared = "", country = ""] = labels.slice(-2);
  const isShared = country.length === 2 && SHARED_LABELS.has(shared);
  return labels
    .slice(isShared ? -3 : -2)
    .join(".")
    .slice(0, HOST_MAX);
};

const siteOf = (url: string): string => hostOf(url).replace(/^www\./, "");

const isGone = (status: number): boolean => status === 404 || status === 410;

/** What an answer of the page itself says; `null` when nothing stands against it. */
const faultOf = (status: number): LinkState | null => {
  if (isGone(status)) return "dead";
  // A page that lets no checker in (401, 403, 429 …) is there; an answer that is still a redirect leads nowhere.
  return status >= 500 || (status >= 300 && status < 400) ? "unreachable" : null;
};

const stateOf = (url: string, finalUrl: string): LinkState => {
  if (SHORTENERS.includes(siteOf(url))) return "shortener";
  if (siteOf(url) !== siteOf(finalUrl)) return "redirects";
  return new URL(url).protocol === "http:" || new URL(finalUrl).protocol === "http:" ? "insecure" : "ok";
};

/** The verdict on an address by what was found there. It only ever warns: nothing is changed or held back by it. */
export const judge = (url: string, answer: Exclude<LinkAnswer, PacedAnswer>): LinkCheck => {
  const finalUrl = answer.finalUrl === url ? null : answer.finalUrl;
  const found = (state: LinkState, httpStatus: number | null = null): LinkCheck => ({ state, finalUrl, httpStatus });
  switch (answer.kind) {
    case "answered":
      return found(faultOf(answer.status) ?? stateOf(url, answer.finalUrl), answer.status);
    case "no_host":
      return found("dead");
    case "silent":
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
  if (at.href.length > ADDRESS_MAX)
    return `This link leads to an address longer than ${ADDRESS_MAX.toLocaleString("en")} characters, so it was not checked.`;
  if (at.protocol !== "http:" && at.protocol !== "https:")
    return "This link leads out of the web: only http and https open in every browser.";
  if (at.username !== "" || at.password !== "")
    return "This link has a name or a password in it. Everybody who sees the pin could read them.";
  if (at.port !== "")
    return `This link uses port ${at.port}, so it was not checked, and many networks will not open it.`;
  return `This link leads into a private network (${at.hostname}), so nobody else can open it.`;
};

const deadWords = (url: string, httpStatus: number | null): string =>
  httpStatus === null
    ? `There is no site at ${hostOf(url)}. Check the link for a typing mistake.`
    : `This page is not there (${httpStatus}). Check the link.`;

const unreachableWords = (url: string, httpStatus: number | null): string => {
  if (httpStatus === null)
    return `${hostOf(url)} did not answer when the link was checked. Open it yourself to be sure.`;
  return httpStatus < 400
    ? "This link redirects too often to lead anywhere."
    : `${hostOf(url)} answered with an error (${httpStatus}) when the link was checked. Open it yourself to be sure.`;
};

/**
 * What a person should know about a link before it is published, in one sentence; null when there is nothing to say.
 * `url`: the link itself.
 */
export const warningOf = (url: string | null, check: LinkCheck | null): string | null => {
  if (url === null || !check || !URL.canParse(url)) return null;
  const last = check.finalUrl ?? url;
  switch (check.state) {
    case "pending":
    case "ok":
      return null;
    case "redirects":
      return `This link leads on to another site: ${hostOf(last)}.`;
    case "shortener":
      return `${hostOf(url)} shortens links, and Pinterest often refuses those. Use the address it leads to${check.finalUrl ? ` (${hostOf(last)})` : ""}.`;
    case "insecure":
      return last.startsWith("https:")
        ? "This link begins with http, though its site has https. Use https://."
        : "This link is not secure (http). Browsers may warn whoever follows it.";
    case "untrusted":
      return `The certificate of ${hostOf(last)} is not valid, so browsers warn whoever follows this link.`;
    case "dead":
      return deadWords(last, check.httpStatus);
    case "unreachable":
      return unreachableWords(last, check.httpStatus);
    case "refused":
      return refusal(new URL(last));
    case "offline":
      return "This link is not checked: our server has no way to it just now.";
  }
};

/** Whether a state is worth a place where there is little: on a card, in a list of slots. */
export const hasLinkConcern = (state: LinkState | null): boolean =>
  state !== null && state !== "pending" && state !== "ok" && state !== "offline";

/** A word or two for a card, where a phone has room for no more; empty when there is nothing to say. */
export const LINK_LABELS: Record<LinkState, string> = {
  pending: "",
  ok: "",
  redirects: "Link redirects",
  shortener: "Short link",
  insecure: "No https",
  untrusted: "Not trusted",
  dead: "Dead link",
  unreachable: "No answer",
  refused: "Private link",
  offline: "",
};
