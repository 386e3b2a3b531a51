import { codeOf, TagScanner } from "./html.ts";

/** What is looked at to recognize escaped text. */
const HEAD_LENGTH = 4_096;
/** Text may be escaped twice, such as escaped HTML in a JSON string. */
const LAYERS_MAX = 3;

const headOf = (text: string): string => {
  const from = text.search(/\S/);
  return from < 0 ? "" : text.slice(from, from + HEAD_LENGTH);
};

/** "&lt;html …", also in an element that shows it, or a string that was escaped. */
const IS_ESCAPED =
  /^(?:<(?:pre|code|textarea)\b[^>]{0,500}>)?\s*(?:&(?:quot|#34|#39);\s*)?(?:&(?:amp;){0,2}(?:lt|#0{0,4}60|#x0{0,4}3c);[!a-z?/]|(?<=;\s*)\\u003c)/i;
/** "{&quot;itemList …", also in arrays. */
const IS_ESCAPED_JSON = /^\s*(?:\[\s{0,99}){0,9}\{\s*&(?:amp;){0,2}(?:quot|#0{0,4}34|#x0{0,4}22);/i;
const NAMED: readonly (readonly [reference: string, letter: string])[] = [
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&nbsp;", " "],
];
const NUMBERED = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi;
const AMPERSANDS = /&(?:amp|#38|#x26);/gi;
const AMPERSAND = 38;
const LAST_CODE_POINT = 0x10ffff;

/** Undoes one escaping of a whole page: other references were in it before. */
const unescapeHtml = (text: string): string => {
  let page = text;
  for (const [reference, letter] of NAMED) page = page.replaceAll(reference, letter);
  if (page.includes("&#")) {
    page = page.replace(NUMBERED, (reference, hex?: string, decimal?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= LAST_CODE_POINT && code !== AMPERSAND ? String.fromCodePoint(code) : reference;
    });
  }
  // Last, so that nothing is decoded twice.
  return page.replace(AMPERSANDS, "&");
};

/** A string in which the first "<" is escaped, or that holds escaped HTML. */
const IS_STRING = /^(?:["'`]?(?:\\[nrt]|\s)*(?:\\u003c|\\x3c|\\u\{3c\})|["'`]\s*&lt;)/i;
/** A string with plain markup or JSON: its first quote, which is of an attribute or a key, tells. */
const MAY_BE_STRING = /^["'`]?(?:\\[nrt]|\s)*(?:<[!a-z?/]|[{[]\s*\\?")/i;
const FIRST_QUOTE = /[=:{[,(]\s*(\\*)"/;
const OPENING_QUOTE = /^["'`]/;
/** Code of a page has strings of its own. */
const CODE = /(<(?:script|style)\b[^>]*>)[\s\S]*?(?:<\\?\/(?:script|style)|$)/gi;

const isString = (head: string): boolean => {
  if (IS_STRING.test(head)) return true;
  if (!MAY_BE_STRING.test(head)) return false;
  const quote = FIRST_QUOTE.exec(head.replace(OPENING_QUOTE, "").replace(CODE, "$1"));
  return quote !== null && quote[1] !== "";
};

const ESCAPE = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\}|([\s\S]))/gi;
const CONTROLS: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "", f: "", "0": "" };

const parsed = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    // A string of another language, or one that was cut off: its escapes are read one by one.
    return null;
  }
};

const unescapeString = (text: string): string => {
  const quoted = text.trim();
  const [quote] = OPENING_QUOTE.exec(quoted) ?? [];
  const whole = quote === '"' ? parsed(quoted) : null;
  if (whole !== null) return whole;
  const to = quote !== undefined && quoted.endsWith(quote) ? -1 : undefined;
  return quoted
    .slice(quote === undefined ? 0 : 1, to)
    .replace(ESCAPE, (_, unit?: string, byte?: string, point?: string, letter = "") => {
      const code = Number.parseInt(unit ?? byte ?? point ?? "", 16);
      return Number.isNaN(code) || code > LAST_CODE_POINT ? (CONTROLS[letter] ?? letter) : String.fromCodePoint(code);
    });
};

/**
 * Undoes the escaping of a page that was pasted as text ("&lt;html …") or as a string of a program ("\u003chtml …",
 * "<html lang=\"en\" …"). Other pages are returned as they are, after a look at their beginning. Never longer than it was.
 */
export const decodePaste = (text: string): string => {
  let page = text;
  for (let layer = 0; layer < LAYERS_MAX; layer += 1) {
    const head = headOf(page);
    if (isString(head)) page = unescapeString(page);
    else if (IS_ESCAPED.test(head) || IS_ESCAPED_JSON.test(head)) page = unescapeHtml(page);
    else break;
  }
  return page;
};

const SHOWS_SOURCE =
  /&lt;(?:!doctype|html|body|div|script|article|a)\b|("|&quot;|&#34;)(?:itemStruct|ItemModule|itemList|item_list|createTime)\1/i;
const TEXTAREA = codeOf("textarea");

/** The source or API response that a page shows as its text, as a browser does; null when it shows none. */
export const sourceShownBy = (html: string): string | null => {
  if (!SHOWS_SOURCE.test(html)) return null;
  const scanner = new TagScanner(html);
  const texts: string[] = [];
  let from = 0;
  while (scanner.next()) {
    if (scanner.from > from) texts.push(html.slice(from, scanner.from));
    from = scanner.code === TEXTAREA ? scanner.to : scanner.textTo;
  }
  texts.push(html.slice(from));
  return unescapeHtml(texts.join(""));
};
