import { TextNode } from "node-html-parser";

const REFERENCE = /&(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});/g;
const COMMON: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

const decodeOne = (reference: string): string => COMMON[reference] ?? new TextNode(reference).text;

/** Resolves character references once. Without its semicolon one stays as it is: "&t=1" in an address is no reference. */
export const decode = (raw: string): string => (raw.includes("&") ? raw.replace(REFERENCE, decodeOne) : raw);

/**
 * A copy that stands by itself. A part of a long text keeps the whole of it in memory, as engines store strings;
 * what is made by joining and cutting is a text of its own.
 */
export const detach = (text: string): string => ` ${text}`.slice(1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, with all that is to be one space
const UNTIDY = /[\0-\x1f\x7f]|[^\S ]| {2}|^ | $/;

/** One line without control characters and halves of characters, at most so long; null when nothing is left. */
export const tidy = (text: string | null | undefined, max: number): string | null => {
  if (!text) return null;
  const line = UNTIDY.test(text) ? text.replace(CONTROLS, "").replace(/\s+/g, " ").trim() : text;
  if (line === "") return null;
  const cut = line.length > max ? line.slice(0, max).trimEnd() : line;
  return cut.isWellFormed() ? detach(cut) : cut.toWellFormed();
};
