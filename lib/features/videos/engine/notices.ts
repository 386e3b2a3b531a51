import { ATTRIBUTE, codeOf, TagScanner } from "./html.ts";
import type { PageParts } from "./page-cards.ts";
import type { Limits, NoticeKind } from "./types.ts";

interface PageSignals {
  names: Set<string>;
  hasCaptcha: boolean;
  text: string;
}

const SCRIPTS = new Set([codeOf("script"), codeOf("style")]);
const TEXT_MAX = 20_000;
const NAMES_MAX = 2_000;

const readPageSignals = (html: string, limits: Limits): PageSignals => {
  const scanner = new TagScanner(html, 0, Math.min(html.length, limits.pageLength));
  const signals: PageSignals = { names: new Set(), hasCaptcha: false, text: "" };
  let from = 0;
  while (scanner.next()) {
    if (signals.text.length < TEXT_MAX) signals.text += `${html.slice(from, Math.min(scanner.from, from + TEXT_MAX))} `;
    from = SCRIPTS.has(scanner.code) ? scanner.textTo : scanner.to;
    if (scanner.isClosing) continue;
    const name = scanner.raw(ATTRIBUTE["data-e2e"]);
    if (name !== null && name.length < 64 && signals.names.size < NAMES_MAX) signals.names.add(name);
    const id = scanner.raw(ATTRIBUTE.id)?.slice(0, 64) ?? "";
    const classes = scanner.raw(ATTRIBUTE.class)?.slice(0, 256) ?? "";
    signals.hasCaptcha ||= /^captcha/i.test(id) || /(?:^|\s)captcha[_-]/i.test(classes);
  }
  if (signals.text.length < TEXT_MAX) signals.text += html.slice(from, from + TEXT_MAX);
  return signals;
};

const REMOVED_STATUS = /"statusCode"\s*:\s*"?102(?:04|15|16|17|22|31)\b/;
const REMOVED_TEXT =
  /video (?:is )?(?:currently )?unavailable|couldn.t find this|video is private|video has been removed/i;
const CAPTCHA_TEXT = /security check|verify to continue|drag the (?:slider|puzzle)|verify you are human/i;
const LOG_IN_TEXT = /log in to (?:tiktok|continue|see|view)|log in or sign up/i;
/** A login dialog that covers the page; and a login button, which is also on public pages. */
const LOG_IN_COVERS = ["login-modal", "login-title", "login-desc"];
const LOG_IN_WAY = "channel-item";
const SEARCH_TEXT = /something went wrong/i;
const HEADERS =
  /^(?:challenge-|user-(?:title|subtitle|page|post-item-list)|search_|explore-|browse-|video-)|-item-list$/;
const HOME = /tiktok\.com|tiktokcdn|__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE/;

/** Guesses why a page has no videos. */
export const noticeOf = (html: string, limits: Limits, { data }: PageParts): NoticeKind => {
  const { names, hasCaptcha, text } = readPageSignals(html, limits);
  if (data.some(({ from, to }) => REMOVED_STATUS.test(html.slice(from, to)))) return "removed";
  if (names.has("search-error-title")) return "search-failed";
  if (hasCaptcha || CAPTCHA_TEXT.test(text)) return "captcha";
  if (LOG_IN_COVERS.some((name) => names.has(name))) return "log-in";
  if (REMOVED_TEXT.test(text)) return "removed";
  if (SEARCH_TEXT.test(text)) return "search-failed";
  if ([...names].some((name) => HEADERS.test(name))) return "not-loaded";
  if (names.has(LOG_IN_WAY) || LOG_IN_TEXT.test(text)) return "log-in";
  return data.length > 0 || HOME.test(html.slice(0, limits.pageLength)) ? "not-loaded" : "no-videos";
};
