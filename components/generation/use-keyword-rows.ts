"use client";

import { useCallback, useState } from "react";

/** One row of the form; `key` names it while it is edited. */
export interface KeywordField {
  key: number;
  keyword: string;
  url: string;
}

export interface KeywordRows {
  rows: KeywordField[];
  add: () => void;
  remove: (key: number) => void;
  change: (key: number, part: "keyword" | "url", text: string) => void;
  /** Spreads several pasted lines over rows, the first into the one with this key. */
  spread: (key: number, lines: string[]) => void;
  /** Back to empty rows. */
  clear: () => void;
}

const FIRST_KEYS = [1, 2, 3];

const emptyRow = (key: number): KeywordField => ({ key, keyword: "", url: "" });

const nextKey = (rows: readonly KeywordField[]): number => Math.max(0, ...rows.map(({ key }) => key)) + 1;

/** Keyword rows that can be added, removed and filled by a paste (R-AIC-02). One row is always there. */
export const useKeywordRows = (max: number): KeywordRows => {
  const [rows, setRows] = useState<KeywordField[]>(FIRST_KEYS.map(emptyRow));
  return {
    rows,
    clear: useCallback(() => setRows(FIRST_KEYS.map(emptyRow)), []),
    add: useCallback(
      () => setRows((before) => (before.length < max ? [...before, emptyRow(nextKey(before))] : before)),
      [max],
    ),
    remove: useCallback(
      (key) =>
        setRows((before) =>
          before.length > 1 ? before.filter((row) => row.key !== key) : [emptyRow(nextKey(before))],
        ),
      [],
    ),
    change: useCallback(
      (key, part, text) => setRows((before) => before.map((row) => (row.key === key ? { ...row, [part]: text } : row))),
      [],
    ),
    spread: useCallback(
      (key, lines) =>
        setRows((before) => {
          const at = before.findIndex((row) => row.key === key);
          const first = nextKey(before);
          const made = lines.map((line, n) => ({ ...emptyRow(n === 0 ? key : first + n), keyword: line }));
          const free = before.slice(at + 1).filter((row) => row.keyword || row.url);
          return [...before.slice(0, at), ...made, ...free].slice(0, max);
        }),
      [max],
    ),
  };
};

/** What the request carries: rows without a keyword are left out, an empty address is null (R-AIC-05, R-AIC-06). */
export const toKeywordData = (rows: readonly KeywordField[]): { keyword: string; url: string | null }[] =>
  rows
    .filter(({ keyword }) => keyword.trim() !== "")
    .map(({ keyword, url }) => ({ keyword: keyword.trim(), url: url.trim() || null }));
