import type { Skips } from "./cards.ts";
import { endOfJson, startOfTail } from "./json.ts";
import { type PageParts, PageReader } from "./page-cards.ts";
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

const isJson = (html: string, at: number): boolean => html[at] === "{" || html[at] === "[";

const startOfNext = (html: string, from: number): number => {
  BETWEEN.lastIndex = from;
  BETWEEN.test(html);
  const start = BETWEEN.lastIndex;
  BEFORE_JSON.lastIndex = start;
  return isJson(html, start) || !BEFORE_JSON.test(html) ? start : BEFORE_JSON.lastIndex;
};

const startOfPage = (html: string, from: number): number => {
  const page = html.slice(from).search(HTML_START);
  return page < 0 ? html.length : from + page;
};

const answerOf = (from: number, to: number): PageDocument => ({
  parts: {
    cards: [],
    unlinked: [],
    watched: null,
    canonical: [],
    players: [],
    data: [{ from, to }],
    pages: new Map<PageKind, number>([["api", 1]]),
  },
  isAnswer: true,
  from,
  to,
});

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
    if (isJson(html, from)) documents.push(answerOf(from, isLast ? html.length : endOfAnswer(from)));
    else {
      const end = endBeforeTail(from);
      const reader = new PageReader(html, { from, to: end, isLast }, limits, skips);
      const parts = reader.read(onPosition);
      documents.push({ parts, isAnswer: false, from, to: reader.to });
      const answer = reader.to < end ? startOfTail(html, from, reader.to) : -1;
      if (answer >= 0) documents.push(answerOf(answer, reader.to));
    }
  }
  return documents;
};
