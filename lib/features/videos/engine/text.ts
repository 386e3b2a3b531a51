import { TextNode } from "node-html-parser";

/** An ampersand that begins no reference. */
const STRAY = /&(?!(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});)/g;

/** Whether each ampersand is written out as such, as in most addresses. */
const hasAmpersandsOnly = (raw: string, first: number): boolean => {
  for (let at = first; at >= 0; at = raw.indexOf("&", at + 5)) if (!raw.startsWith("amp;", at + 1)) return false;
  return true;
};

const PLAIN_REFERENCES: readonly (readonly [string, string])[] = [
  ["amp;", "&"],
  ["lt;", "<"],
  ["gt;", ">"],
  ["quot;", '"'],
  ["#39;", "'"],
];
/** A character of ASCII by its number; other numbers have rules of their own. */
const BY_NUMBER = /#(?:[xX]0{0,4}([2-7][0-9a-fA-F])|0{0,4}(3[2-9]|[4-9]\d|1[01]\d|12[0-6]));/y;
const PLAIN_LENGTH_MAX = 4_096;

/** Resolves the references that most texts have; null where there is another. */
const decodePlain = (raw: string, first: number): string | null => {
  let text = "";
  let from = 0;
  for (let at = first; at >= 0; at = raw.indexOf("&", from)) {
    const known = PLAIN_REFERENCES.find(([name]) => raw.startsWith(name, at + 1));
    BY_NUMBER.lastIndex = at + 1;
    const number = known ? null : BY_NUMBER.exec(raw);
    if (!known && !number) return null;
    const [name, letter] = known ?? [
      number?.[0] ?? "",
      String.fromCharCode(number?.[1] ? Number.parseInt(number[1], 16) : Number(number?.[2])),
    ];
    text += raw.slice(from, at) + letter;
    from = at + 1 + name.length;
  }
  return text + raw.slice(from);
};

/**
 * Resolves character references once. Without its semicolon one stays as it is: "&t=1" in an address is no reference.
 * The parser resolves the whole text at once, as one call for each reference is slow where there are a million.
 */
export const decode = (raw: string): string => {
  const first = raw.indexOf("&");
  if (first < 0) return raw;
  if (hasAmpersandsOnly(raw, first)) return raw.replaceAll("&amp;", "&");
  const plain = raw.length <= PLAIN_LENGTH_MAX ? decodePlain(raw, first) : null;
  return plain ?? new TextNode(raw.replace(STRAY, "&amp;")).text;
};

/**
 * A copy that stands by itself. A part of a long text keeps the whole of it in memory, as engines store strings;
 * what is made by joining and cutting is a text of its own.
 */
export const detach = (text: string): string => ` ${text}`.slice(1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f]+/g;
/** White space other than the plain one: what `\s` means beyond ASCII. */
const isOtherSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && (code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f)) ||
  code === 0x3000 ||
  code === 0xfeff;

const SPACE = 32;
const DELETE = 127;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;

/** "tidy": one line of characters with single spaces between; "pairs": the same with letters that take two units. */
const stateOf = (text: string): "tidy" | "pairs" | "untidy" => {
  let before = SPACE;
  let hasPairs = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      if (code !== SPACE || before === SPACE) return "untidy";
    } else if (code >= DELETE) {
      if (code === DELETE || isOtherSpace(code)) return "untidy";
      hasPairs ||= isSurrogate(code);
    }
    before = code;
  }
  if (before === SPACE) return "untidy";
  return hasPairs ? "pairs" : "tidy";
};

/** One line without control characters and halves of characters, at most so long; null when nothing is left. */
export const tidy = (text: string | null | undefined, max: number): string | null => {
  if (!text) return null;
  const trimmed = text.trim();
  const state = stateOf(trimmed);
  if (state === "tidy" && trimmed.length <= max) return detach(trimmed);
  const line = state === "untidy" ? text.replace(CONTROLS, "").replace(/\s+/g, " ").trim() : trimmed;
  if (line === "") return null;
  const cut = line.length > max ? line.slice(0, max).trimEnd() : line;
  return cut.isWellFormed() ? detach(cut) : cut.toWellFormed();
};
