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

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();

/** Whether two captions may be of one video: one is often cut. */
const areAlike = (one: string | null, other: string | null): boolean => {
  if (!one || !other) return true;
  const [a, b] = [lettersOf(one).slice(0, 60), lettersOf(other).slice(0, 60)];
  return a.startsWith(b) || b.startsWith(a);
};

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
  const candidates = [...named, ...data.values()];
  const fitting = candidates.find(({ id, author }) => {
    const isAuthor = !author || !shown.author || author.toLowerCase() === shown.author.toLowerCase();
    return isAuthor && areAlike(shown.title, data.get(id)?.title ?? null);
  });
  if (!fitting) {
    page.skips.add("no-link", card.offset);
    return null;
  }
  const { id, kind } = fitting;
  return { ...shown, id, kind, author: authorOf(fitting.author) ?? shown.author };
};
