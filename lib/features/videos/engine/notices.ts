import type { PageParts } from "./read-page.ts";
import { ATTRIBUTE, codeOf, TagScanner } from "./scan-tags.ts";
import type { Limits, NoticeKind } from "./types.ts";

/** What a page without videos shows. */
interface Signs {
  names: Set<string>;
  hasCaptcha: boolean;
  /** Its visible text, as far as it matters. */
  text: string;
}

const PROGRAMS = new Set([codeOf("script"), codeOf("style")]);
const TEXT_MAX = 20_000;
const NAMES_MAX = 2_000;

const readSigns = (html: string, limits: Limits): Signs => {
  const scanner = new TagScanner(html, 0, Math.min(html.length, limits.pageLength));
  const signs: Signs = { names: new Set(), hasCaptcha: false, text: "" };
  let from = 0;
  while (scanner.next()) {
    if (signs.text.length < TEXT_MAX) signs.text += `${html.slice(from, Math.min(scanner.from, from + TEXT_MAX))} `;
    from = PROGRAMS.has(scanner.code) ? scanner.textTo : scanner.to;
    if (scanner.isClosing) continue;
    const name = scanner.raw(ATTRIBUTE["data-e2e"]);
    if (name !== null && name.length < 64 && signs.names.size < NAMES_MAX) signs.names.add(name);
    const id = scanner.raw(ATTRIBUTE.id)?.slice(0, 64) ?? "";
    const classes = scanner.raw(ATTRIBUTE.class)?.slice(0, 256) ?? "";
    signs.hasCaptcha ||= /^captcha/i.test(id) || /(?:^|\s)captcha[_-]/i.test(classes);
  }
  if (signs.text.length < TEXT_MAX) signs.text += html.slice(from, from + TEXT_MAX);
  return signs;
};

const REMOVED_STATUS = /"statusCode"\s*:\s*"?102(?:04|15|16|17|22|31)\b/;
const REMOVED_TEXT =
  /video (?:is )?(?:currently )?unavailable|couldn.t find this|video is private|video has been removed/i;
const CAPTCHA_TEXT = /security check|verify to continue|drag the (?:slider|puzzle)|verify you are human/i;
const LOG_IN_TEXT = /log in to (?:tiktok|continue|see|view)|log in or sign up/i;
/** A log-in that covers a page, and ways to log in as they stand beside a page that is seen without an account. */
const LOG_IN_COVERS = ["login-modal", "login-title", "login-desc"];
const LOG_IN_WAY = "channel-item";
const SEARCH_TEXT = /something went wrong/i;
const HEADERS =
  /^(?:challenge-|user-(?:title|subtitle|page|post-item-list)|search_|explore-|browse-|video-)|-item-list$/;
const HOME = /tiktok\.com|tiktokcdn|__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE/;

/** Why a page has no videos, as far as it tells: a reason in words is shown for each. */
export const noticeOf = (html: string, limits: Limits, { data }: PageParts): NoticeKind => {
  const { names, hasCaptcha, text } = readSigns(html, limits);
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
