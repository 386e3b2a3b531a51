import { useCallback, useState } from "react";
import { KEYWORDS_PER_SAVE_MAX } from "#lib/features/keywords/constants.ts";
import type { SeasonWire } from "#lib/features/keywords/schema.ts";

export interface KeywordSelection {
  /** With the season of those that have one. */
  keywords: ReadonlyMap<string, SeasonWire | null>;
  isFull: boolean;
  toggle: (keyword: string, season?: SeasonWire | null) => void;
  clear: () => void;
}

/** The selected keywords, in the order of selection, up to as many as one save may have. */
export const useKeywordSelection = (): KeywordSelection => {
  const [keywords, setKeywords] = useState<KeywordSelection["keywords"]>(new Map());
  return {
    keywords,
    isFull: keywords.size >= KEYWORDS_PER_SAVE_MAX,
    toggle: useCallback(
      (keyword, season = null) =>
        setKeywords((before) => {
          const next = new Map(before);
          if (!next.delete(keyword) && next.size < KEYWORDS_PER_SAVE_MAX) next.set(keyword, season);
          return next;
        }),
      [],
    ),
    clear: useCallback(() => setKeywords(new Map()), []),
  };
};
