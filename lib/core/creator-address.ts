import { slugOf } from "./slug.ts";

/** The creator's query that fills its rows, once for each keyword. */
const WORD = "keyword";

/** Where the creator stands: its address bears the product's name. */
export const creatorPathOf = (productName: string): string => `/app/${slugOf(productName)}-creator`;

/** The creator with keywords in its rows. */
export const creatorAddress = (creatorPath: string, keywords: readonly string[]): string =>
  `${creatorPath}?${new URLSearchParams(keywords.map((keyword) => [WORD, keyword]))}`;

/**
 * The keywords that an address asks for: trimmed, without empty ones.
 * @param query of the page; anybody may have written it
 * @param bounds the most keywords, and the most characters of one, which is cut
 */
export const keywordsOf = (
  query: Readonly<Record<string, string | string[] | undefined>>,
  bounds: { count: number; length: number },
): string[] =>
  [query[WORD] ?? []]
    .flat()
    .map((keyword) => keyword.trim().slice(0, bounds.length))
    .filter((keyword) => keyword !== "")
    .slice(0, bounds.count);
