import type { PinterestAnswer } from "./port.ts";

/** One page of a listing; `bookmark` null on the last one. A page may be short, or empty, and still go on. */
export interface Page<T> {
  items: T[];
  bookmark: string | null;
}

/** At 250 items a page this is more than Pinterest allows a user to have. */
const MAX_PAGES = 400;

const stuck = <T>(): PinterestAnswer<T> => ({
  kind: "problem",
  problem: { kind: "unavailable", text: "Pinterest's list does not come to an end." },
});

/**
 * Reads pages until the last one, or until `isEnough` says so of a page. Items seen twice count once: a list may
 * change while it is read. A bookmark that comes again is a problem, never a silently shorter list.
 */
export const readPages = async <T extends { id: string }>(
  readPage: (bookmark: string | null) => Promise<PinterestAnswer<Page<T>>>,
  isEnough: (items: readonly T[]) => boolean = () => false,
): Promise<PinterestAnswer<T[]>> => {
  const items = new Map<string, T>();
  const seen = new Set<string>();
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: PinterestAnswer<Page<T>> = await readPage(bookmark);
    if (answer.kind === "problem") return answer;
    for (const item of answer.value.items) if (!items.has(item.id)) items.set(item.id, item);
    bookmark = answer.value.bookmark;
    if (bookmark === null || isEnough(answer.value.items)) return { kind: "ok", value: [...items.values()] };
    if (seen.has(bookmark)) return stuck();
    seen.add(bookmark);
  }
  return stuck();
};
