import { type Page, type Reading, readCard } from "./card.ts";
import type { Card } from "./cards.ts";
import { authorOf, parseVideoLink, type VideoLink } from "./text.ts";

const SAVED_FROM = /<!-- saved from url=\(\d{1,6}\)(\S{1,500}) -->/;

/** @param head the beginning of the page */
export const ownLinksOf = (head: string, canonical: readonly string[]): VideoLink[] => {
  const saved = SAVED_FROM.exec(head)?.[1];
  return [...canonical, ...(saved ? [saved] : [])]
    .map(parseVideoLink)
    .filter((videoLink) => videoLink !== null && videoLink !== "bad-id");
};

/** The first letters of a caption, for comparison, because one of two is often truncated. */
const beginningOf = (caption: string | null | undefined): string | null =>
  caption
    ? caption
        .slice(0, 240)
        .replace(/[^\p{L}\p{N}]+/gu, "")
        .toLowerCase()
        .slice(0, 60)
    : null;

const areAlike = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.startsWith(other) || other.startsWith(one);

const UNKNOWN: VideoLink = { id: "0", kind: "video", author: null };

type Candidate = VideoLink | Reading;

interface Described {
  author: string | null;
  title: string | null;
}

/** The first candidate whose author and caption agree; either may be missing. */
const matchOf = (
  { author, title }: Described,
  candidates: readonly Candidate[],
  beginningOfData: (id: string) => string | null,
): Candidate | undefined => {
  const beginning = beginningOf(title);
  const shownAuthor = author?.toLowerCase();
  return candidates.find((candidate) => {
    const isAuthor = !candidate.author || !shownAuthor || candidate.author.toLowerCase() === shownAuthor;
    return isAuthor && areAlike(beginning, beginningOfData(candidate.id));
  });
};

const withId = (shown: Reading, match: Candidate): Reading => {
  const { id, kind } = match;
  const author = authorOf(match.author);
  const sources = { ...shown.sources };
  if (author) sources.author ??= "sources" in match ? "json" : "link";
  return { ...shown, id, kind, author: author ?? shown.author, sources };
};

/** The id is only in the player, the head or the data, of which the last two may be stale. Null when none fits. */
export const readWatched = (
  page: Page,
  card: Card,
  ownLinks: readonly VideoLink[],
  data: ReadonlyMap<string, Reading>,
): Reading | null => {
  const shown = readCard(page, card, UNKNOWN);
  const candidates = [...ownLinks, ...data.values()];
  const match = matchOf(shown, candidates, (id) => beginningOf(data.get(id)?.title));
  if (match) return withId(shown, match);
  page.skips.add("no-link", card.offset);
  return null;
};

/** Videos of one author that a card of a feed is compared with. */
const CANDIDATES_MAX = 50;

const byAuthorOf = (data: ReadonlyMap<string, Reading>): Map<string, Reading[]> => {
  const byAuthor = new Map<string, Reading[]>();
  for (const reading of data.values()) {
    const author = reading.author?.toLowerCase();
    if (author === undefined) continue;
    const known = byAuthor.get(author);
    if (!known) byAuthor.set(author, [reading]);
    else if (known.length < CANDIDATES_MAX) known.push(reading);
  }
  return byAuthor;
};

interface Known {
  listed: readonly Reading[];
  ownLinks: readonly VideoLink[];
  data: ReadonlyMap<string, Reading>;
}

/** Cards of a feed show no id, unless their player is loaded: the data, or the head of a video page, has it. */
export const readUnlinked = (page: Page, cards: readonly Card[], { listed, ownLinks, data }: Known): Reading[] => {
  const byAuthor = cards.length > 0 ? byAuthorOf(data) : new Map<string, Reading[]>();
  const beginnings = new Map<string, string | null>();
  const beginningOfData = (id: string): string | null => {
    const beginning = beginnings.get(id) ?? beginningOf(data.get(id)?.title);
    beginnings.set(id, beginning);
    return beginning;
  };
  const taken = new Set(listed.map(({ id }) => id));
  const readings: Reading[] = [];
  for (const card of cards) {
    const shown = readCard(page, card, UNKNOWN);
    const ofAuthor = byAuthor.get(shown.author?.toLowerCase() ?? "") ?? [];
    const isOnly = cards.length === 1 && listed.every(({ offset }) => offset > card.offset);
    const match = matchOf(shown, isOnly ? [...ownLinks, ...ofAuthor] : ofAuthor, beginningOfData);
    if (match && !taken.has(match.id)) readings.push(withId(shown, match));
    else page.skips.add(match ? "duplicate" : "no-link", card.offset);
    if (match) taken.add(match.id);
  }
  return readings;
};
