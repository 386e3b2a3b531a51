import type { Range, Skips } from "./cards.ts";
import { endOfJson, isJson, startOfTail, VIDEO_MARKERS } from "./json.ts";
import { isEmptyPage, type PageParts, PageReader } from "./page-cards.ts";
import type { Limits, PageKind } from "./types.ts";

/** One of the pages or API responses that were pasted together. */
export interface PageDocument {
  parts: PageParts;
  isAnswer: boolean;
  from: number;
  to: number;
}

/** Pasted pages that are told apart; the last one holds the rest. */
const DOCUMENTS_MAX = 50;

const BETWEEN = /[\s\uFEFF,;]*/y;
/** No JSON has a line that begins with a tag. */
const HTML_START = /<!doctype\s+html|<html[\s>]|\n[ \t]{0,99}<[a-z!]/i;
/** "window['SIGI_STATE']=", or the label of a browser's button. */
const BEFORE_JSON = /[^<{]{0,200}?(?=(?:\[\s{0,99}){0,9}\{\s*")/y;
/** Responses begin with other keys. */
const ITEM = /\{\s*"id"/y;
const SCRIPT = /<(\/?)script\b/gi;

const startOfNext = (html: string, from: number): number => {
  BETWEEN.lastIndex = from;
  BETWEEN.test(html);
  return BETWEEN.lastIndex;
};

/** Where JSON begins, also behind a few words; -1 when there is none. */
const startOfJson = (html: string, from: number): number => {
  if (html[from] === "{" || html[from] === "[") return from;
  BEFORE_JSON.lastIndex = from;
  return BEFORE_JSON.test(html) ? BEFORE_JSON.lastIndex : -1;
};

/** The position after a whole response; -1 for anything else. */
const endOfResponse = (html: string, from: number): number => {
  const end = endOfJson(html, from, html.length);
  const text = html.slice(from, end);
  return end >= 0 && VIDEO_MARKERS.test(text) && isJson(text) ? end : -1;
};

/** Whether JSON is an inner value of a script whose beginning was cut off. */
const isInScript = (html: string, from: number, start: number, end: number): boolean => {
  ITEM.lastIndex = start;
  if (start === from && !ITEM.test(html)) return false;
  SCRIPT.lastIndex = end;
  return SCRIPT.exec(html)?.[1] === "/";
};

const startOfPage = (html: string, from: number): number => {
  const page = html.slice(from).search(HTML_START);
  return page < 0 ? html.length : from + page;
};

const answerIn = (data: Range): Pick<PageParts, "data" | "pages"> => ({
  data: [data],
  pages: new Map<PageKind, number>([["api", 1]]),
});

const answerOf = (from: number, to: number): PageDocument => ({
  parts: { cards: [], unlinked: [], watched: null, canonical: [], players: [], ...answerIn({ from, to }) },
  isAnswer: true,
  from,
  to,
});

/** A page without videos may be no more than the words around a response that is broken. */
const withAnswer = (html: string, parts: PageParts, data: Range): PageParts =>
  isEmptyPage(parts) && VIDEO_MARKERS.test(html.slice(data.from, data.to)) ? { ...parts, ...answerIn(data) } : parts;

export const readDocuments = (
  html: string,
  limits: Limits,
  skips: Skips,
  onPosition: (position: number) => void,
): PageDocument[] => {
  const documents: PageDocument[] = [];
  let isBroken = false;
  let tail: number | null = null;
  // JSON at the end is no part of what is before it, which may be cut off.
  const endBeforeTail = (from: number): number => {
    tail ??= startOfTail(html, from, html.length);
    return from < tail ? tail : html.length;
  };
  // A broken response ends where a page begins. Its end is searched for only once.
  const endOfAnswer = (from: number): number => {
    const end = isBroken ? -1 : endOfJson(html, from, html.length);
    isBroken = end < 0;
    return isBroken ? Math.min(startOfPage(html, from), endBeforeTail(from)) : end;
  };
  for (let from = startOfNext(html, 0); from < html.length; from = startOfNext(html, documents.at(-1)?.to ?? 0)) {
    const isLast = documents.length >= DOCUMENTS_MAX - 1;
    const start = startOfJson(html, from);
    const to = start === from ? endOfAnswer(from) : start < 0 ? -1 : endOfResponse(html, start);
    if (to >= 0 && !isInScript(html, from, start, to)) documents.push(answerOf(start, isLast ? html.length : to));
    else {
      const end = endBeforeTail(from);
      const reader = new PageReader(html, { from, to: end, isLast }, limits, skips);
      const parts = reader.read(onPosition);
      const answer = reader.to < end ? startOfTail(html, from, reader.to) : -1;
      const all = start < 0 || answer >= 0 ? parts : withAnswer(html, parts, { from: start, to: reader.to });
      documents.push({ parts: all, isAnswer: false, from, to: reader.to });
      if (answer >= 0) documents.push(answerOf(answer, reader.to));
    }
  }
  return documents;
};
