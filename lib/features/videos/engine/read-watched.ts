import { authorOf, type VideoAddress, videoAddressOf } from "./addresses.ts";
import type { Card } from "./cards.ts";
import { type Page, type Reading, readCard } from "./read-card.ts";

/** A page saved to disk names the address that it came from in its first lines. */
const SAVED_FROM = /<!-- saved from url=\(\d{1,6}\)(\S{1,500}) -->/;

/** Videos that the head of a page names as the page's own. */
export const ownAddressesOf = (html: string, canonical: readonly string[]): VideoAddress[] => {
  const saved = SAVED_FROM.exec(html.slice(0, 4_096))?.[1];
  return [...canonical, ...(saved ? [saved] : [])]
    .map(videoAddressOf)
    .filter((address) => address !== null && address !== "bad-id");
};

/** The first letters of a caption, by which it is known again: one of two is often cut. Null when there is none. */
const beginningOf = (caption: string | null | undefined): string | null =>
  caption
    ? caption
        .slice(0, 240)
        .replace(/[^\p{L}\p{N}]+/gu, "")
        .toLowerCase()
        .slice(0, 60)
    : null;

/** Whether two captions may be of one video, by their beginnings. */
const areAlike = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.startsWith(other) || other.startsWith(one);

const UNKNOWN: VideoAddress = { id: "0", kind: "video", author: null };

/**
 * Reads the video that a page shows. Its id stands in the head or in the data alone, and both may be left over from
 * the page before: author and caption have to agree. Null when no id fits.
 */
export const readWatched = (
  page: Page,
  card: Card,
  named: readonly VideoAddress[],
  data: ReadonlyMap<string, Reading>,
): Reading | null => {
  const shown = readCard(page, card, UNKNOWN);
  const beginning = beginningOf(shown.title);
  const shownAuthor = shown.author?.toLowerCase();
  const candidates = [...named, ...data.values()];
  const fitting = candidates.find(({ id, author }) => {
    const isAuthor = !author || !shownAuthor || author.toLowerCase() === shownAuthor;
    return isAuthor && areAlike(beginning, beginningOf(data.get(id)?.title));
  });
  if (!fitting) {
    page.skips.add("no-link", card.offset);
    return null;
  }
  const { id, kind } = fitting;
  const author = authorOf(fitting.author);
  const sources = { ...shown.sources };
  if (author) sources.author ??= "sources" in fitting ? "json" : "link";
  return { ...shown, id, kind, author: author ?? shown.author, sources };
};
