import "server-only";
import { httpUrl } from "#lib/core/paths.ts";
import { withoutDirections } from "#lib/core/text.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";
import { textOfFragment } from "./markup.ts";

/** Longer values are cut before they are read, so that each takes a bounded time. */
const READ_MAX = 20_000;

const TAIL = 60;

/** Cut after a word, or before a number, so that no number becomes another one. */
const cutAtWord = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const at = Math.max(0, max - TAIL);
  const tail = text.slice(at, max);
  const whole = /\s/.test(text.charAt(max)) ? tail : tail.replace(/\s\S*$/u, "");
  // Some languages have no spaces.
  const cut = whole !== tail || /\s/.test(text.charAt(max)) ? whole : tail.replace(/[\p{Nd}.,'’]+$/u, "");
  return (text.slice(0, at) + cut).replace(/[\ud800-\udbff]$/, "");
};

/** One line without markup and invisible characters, of at most `max` characters. Null when nothing is left. */
export const tidy = (value: string, max: number): string | null => {
  const text = withoutDirections(textOfFragment(cutAtWord(value, READ_MAX)).toWellFormed())
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .normalize("NFC")
    .trim();
  return cutAtWord(text, max).trim() || null;
};

export const tidyList = (values: readonly string[], max: number, count: number): string[] =>
  [...new Set(values.slice(0, 10 * count).flatMap((value) => tidy(value, max) ?? []))].slice(0, count);

/** An absolute http or https URL without credentials, as links of pins must be; null for anything else. */
export const tidyUrl = (value: string, base: string): string | null => {
  const text = value.trim();
  if (text === "" || text.length > LINK_MAX || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  if (url.username !== "" || url.password !== "") return null;
  const href = httpUrl(url.href);
  return href !== null && href.length <= LINK_MAX ? href : null;
};

export const dateOrNull = (value: string | null | undefined): Date | null => {
  const ms = Date.parse(value?.trim() ?? "");
  return Number.isNaN(ms) ? null : new Date(ms);
};

export const parseOrNull = (source: string): unknown => {
  try {
    return JSON.parse(source);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};
