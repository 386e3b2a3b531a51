import { TextNode } from "node-html-parser";

/** An ampersand that begins no reference. */
const STRAY = /&(?!(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});)/g;

/** Whether each ampersand is written out as such, as in most addresses. */
const hasAmpersandsOnly = (raw: string, first: number): boolean => {
  for (let at = first; at >= 0; at = raw.indexOf("&", at + 5)) if (!raw.startsWith("amp;", at + 1)) return false;
  return true;
};

/**
 * Resolves character references once. Without its semicolon one stays as it is: "&t=1" in an address is no reference.
 * The parser resolves the whole text at once, as one call for each reference is slow where there are a million.
 */
export const decode = (raw: string): string => {
  const first = raw.indexOf("&");
  if (first < 0) return raw;
  if (hasAmpersandsOnly(raw, first)) return raw.replaceAll("&amp;", "&");
  return new TextNode(raw.replace(STRAY, "&amp;")).text;
};

/**
 * A copy that stands by itself. A part of a long text keeps the whole of it in memory, as engines store strings;
 * what is made by joining and cutting is a text of its own.
 */
export const detach = (text: string): string => ` ${text}`.slice(1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, with all that is to be one space
const UNTIDY = /[\0-\x1f\x7f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/** One line without control characters and halves of characters, at most so long; null when nothing is left. */
export const tidy = (text: string | null | undefined, max: number): string | null => {
  if (!text) return null;
  const trimmed = text.trim();
  const isTidy = !trimmed.includes("  ") && !UNTIDY.test(trimmed);
  const line = isTidy ? trimmed : text.replace(CONTROLS, "").replace(/\s+/g, " ").trim();
  if (line === "") return null;
  const cut = line.length > max ? line.slice(0, max).trimEnd() : line;
  return cut.isWellFormed() ? detach(cut) : cut.toWellFormed();
};
