import { invalidRequest, RefusedError } from "./refusals.ts";

/** A page and the opaque mark of the next one; null at the end. */
export interface Page<T> {
  items: T[];
  bookmark: string | null;
}

/** Items of a page when the call does not say. */
export const DEFAULT_PAGE_SIZE = 25;

/**
 * Cuts the page after `bookmark` out of a list whose items have stable ids.
 * @throws RefusedError 400 for a bookmark that was never handed out.
 */
export function paginate<T extends { id: string }>(all: T[], query: Record<string, string>): Page<T> {
  const size = Number(query.page_size ?? DEFAULT_PAGE_SIZE);
  const start = query.bookmark === undefined || query.bookmark === "" ? 0 : positionAfter(all, query.bookmark);
  const items = all.slice(start, start + size);
  const last = items.at(-1);
  const isEnd = last === undefined || start + size >= all.length;
  return { items, bookmark: isEnd ? null : toBookmark(last.id) };
}

function toBookmark(lastId: string): string {
  return Buffer.from(`after:${lastId}`, "utf8").toString("base64url");
}

function positionAfter(all: { id: string }[], bookmark: string): number {
  const id = Buffer.from(bookmark, "base64url")
    .toString("utf8")
    .replace(/^after:/, "");
  const index = all.findIndex((item) => item.id === id);
  if (index === -1) throw new RefusedError(invalidRequest("bookmark is not one of ours"));
  return index + 1;
}
