import { useState } from "react";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import type { PageRow } from "./site-texts.ts";

export interface SelectedPages {
  /** In the order of selection, with the keywords as edited. */
  rows: readonly { url: string; keyword: string }[];
  has: (url: string) => boolean;
  isFull: boolean;
  keywordOf: (row: PageRow) => string;
  toggle: (row: PageRow) => void;
  /** Selects as many as fit. */
  add: (rows: readonly PageRow[]) => void;
  setKeyword: (row: PageRow, keyword: string) => void;
  remove: (urls: readonly string[]) => void;
  clear: () => void;
}

type Selection = ReadonlyMap<string, PageRow>;

/** The selected pages, up to as many as a batch of the creator may have, and the edited keywords of all pages. */
export const useSelectedPages = (): SelectedPages => {
  const [selected, setSelected] = useState<Selection>(new Map());
  const [edited, setEdited] = useState<ReadonlyMap<string, string>>(new Map());
  const keywordOf = (row: PageRow) => edited.get(row.url) ?? row.keyword;
  return {
    rows: [...selected.values()].map((row) => ({ url: row.url, keyword: keywordOf(row).trim() || row.keyword })),
    has: (url) => selected.has(url),
    isFull: selected.size >= KEYWORDS_MAX,
    keywordOf,
    toggle: (row) =>
      setSelected((before) => {
        const next = new Map(before);
        if (!next.delete(row.url) && next.size < KEYWORDS_MAX) next.set(row.url, row);
        return next;
      }),
    add: (rows) =>
      setSelected((before) => {
        const all = new Map([...before, ...rows.map((row) => [row.url, row] as const)]);
        return new Map([...all].slice(0, KEYWORDS_MAX));
      }),
    setKeyword: (row, keyword) => setEdited((before) => new Map(before).set(row.url, keyword)),
    remove: (urls) => setSelected((before) => new Map([...before].filter(([url]) => !urls.includes(url)))),
    clear: () => setSelected(new Map()),
  };
};
