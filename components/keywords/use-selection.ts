import { useCallback, useState } from "react";
import { KEYWORDS_PER_SAVE_MAX } from "#lib/features/keywords/constants.ts";

export interface KeywordSelection {
  keywords: ReadonlySet<string>;
  isFull: boolean;
  toggle: (keyword: string) => void;
  clear: () => void;
}

/** The selected keywords, in the order of selection, up to as many as one save may have. */
export const useKeywordSelection = (): KeywordSelection => {
  const [keywords, setKeywords] = useState<ReadonlySet<string>>(new Set());
  return {
    keywords,
    isFull: keywords.size >= KEYWORDS_PER_SAVE_MAX,
    toggle: useCallback(
      (keyword) =>
        setKeywords((before) => {
          const next = new Set(before);
          if (!next.delete(keyword) && next.size < KEYWORDS_PER_SAVE_MAX) next.add(keyword);
          return next;
        }),
      [],
    ),
    clear: useCallback(() => setKeywords(new Set()), []),
  };
};
