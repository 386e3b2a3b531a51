/** The most characters that a search may have, and how many of its words count. */
export const SEARCH_MAX = 200;
export const SEARCH_WORDS_MAX = 10;

/** Words that what is found must contain, each somewhere; letters' case does not matter. */
export const searchWords = (text: string): string[] =>
  [...new Set(text.normalize("NFC").toLowerCase().split(/\s+/u))]
    .filter((word) => word !== "")
    .slice(0, SEARCH_WORDS_MAX);
