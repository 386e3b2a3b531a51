import type { PageDocument } from "./documents.ts";
import { ATTRIBUTE, TagScanner, withoutComments } from "./html.ts";
import { decode } from "./text.ts";
import type { NoticeKind } from "./types.ts";

interface PageSignals {
  names: Set<string>;
  hasCaptcha: boolean;
  text: string;
}

const TEXT_MAX = 20_000;
const NAMES_MAX = 2_000;
/** Data that lost its script element: what it says is not shown. */
const IS_DATA = /"\s*:\s*["[{\d]|","|\\u[0-9a-f]{4}/i;

/** Text between tags; scripts, styles, titles and the like are not part of it. */
const addText = (signals: PageSignals, html: string, from: number, to: number): void => {
  if (to <= from || signals.text.length >= TEXT_MAX) return;
  const text = withoutComments(html.slice(from, Math.min(to, from + TEXT_MAX)));
  if (!IS_DATA.test(text)) signals.text += `${text} `;
};

const addSignals = (signals: PageSignals, html: string, { from, to }: PageDocument): void => {
  const scanner = new TagScanner(html, from, to);
  let textFrom = from;
  while (scanner.next()) {
    addText(signals, html, textFrom, scanner.from);
    textFrom = scanner.textTo;
    if (scanner.isClosing) continue;
    const name = scanner.raw(ATTRIBUTE["data-e2e"]);
    if (name !== null && name.length < 64 && signals.names.size < NAMES_MAX) signals.names.add(name);
    const id = scanner.raw(ATTRIBUTE.id)?.slice(0, 64) ?? "";
    const classes = scanner.raw(ATTRIBUTE.class)?.slice(0, 256) ?? "";
    signals.hasCaptcha ||= /^captcha/i.test(id) || /(?:^|\s)captcha[_-]/i.test(classes);
  }
  addText(signals, html, textFrom, to);
};

const REMOVED_STATUS = /"statusCode"\s*:\s*"?102(?:04|15|16|17|22|31)\b/;
const REMOVED_TEXT = new RegExp(
  [
    "(?:video|post) (?:is )?(?:currently )?unavailable",
    "(?:video|post) (?:isn.t|is not|is no longer|no longer) (?:currently )?available",
    "(?:video|post) (?:has been|was|is) (?:removed|deleted|private)",
    "this account (?:has been|was|is) (?:removed|deleted|private|banned|suspended)",
    "couldn.t find this",
  ].join("|"),
  "i",
);
const CAPTCHA_TEXT = /security check|verify to continue|drag the (?:slider|puzzle)|verify you are human/i;
/** Public pages suggest a login for more than what they show, such as comments. */
const LOG_IN_FIRST_TEXT = /log in to (?:see|view|watch) (?:this|the|these|his|her|their|videos?|posts?|content)\b/i;
const LOG_IN_TEXT = /log in to (?:tiktok|continue|see|view|watch)|log in or sign up/i;
/** A login dialog that covers the page; and a login button, which is also on public pages. */
const LOG_IN_COVERS = ["login-modal", "login-title", "login-desc"];
const LOG_IN_WAY = "channel-item";
const FAILED_TEXT = /something went wrong/i;
const HEADERS =
  /^(?:challenge-|user-(?:title|subtitle|page|post-item-list)|search_|explore-|browse-|video-|collection-|recommend-)|-item-list$/;
const HOME = /tiktok\.com|tiktokcdn|__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE/;

/** Guesses why a page has no videos. API responses have no texts for people. */
export const noticeOf = (html: string, documents: readonly PageDocument[]): NoticeKind => {
  const signals: PageSignals = { names: new Set(), hasCaptcha: false, text: "" };
  const pages = documents.filter(({ isAnswer }) => !isAnswer);
  for (const page of pages) addSignals(signals, html, page);
  const { names, hasCaptcha } = signals;
  const text = decode(signals.text).replace(/\s+/g, " ");
  const data = documents.flatMap(({ parts }) => parts.data);
  if (data.some(({ from, to }) => REMOVED_STATUS.test(html.slice(from, to)))) return "removed";
  if (names.has("search-error-title")) return "search-failed";
  if (hasCaptcha || CAPTCHA_TEXT.test(text)) return "captcha";
  if (LOG_IN_COVERS.some((name) => names.has(name))) return "log-in";
  if (REMOVED_TEXT.test(text)) return "removed";
  if (FAILED_TEXT.test(text)) return "search-failed";
  if (LOG_IN_FIRST_TEXT.test(text)) return "log-in";
  if ([...names].some((name) => HEADERS.test(name))) return "not-loaded";
  if (names.has(LOG_IN_WAY) || LOG_IN_TEXT.test(text)) return "log-in";
  const hasData = pages.some(({ parts }) => parts.data.length > 0);
  return hasData || HOME.test(html) ? "not-loaded" : "no-videos";
};
