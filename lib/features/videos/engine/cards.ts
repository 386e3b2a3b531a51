import type { VideoLink } from "./text.ts";
import type { PageKind, Skipped, SkipReason } from "./types.ts";

export interface Range {
  from: number;
  to: number;
}

/** The icon tells views from likes; the element's name does not. */
export type Icon = "play" | "heart" | null;

interface Count extends Range {
  icon: Icon;
  /** Used when there is no icon. */
  fallback: "views" | "likes";
}

/** The parts of one video on a page, as offsets; they are read when the card is complete. */
export interface Card {
  offset: number;
  page: PageKind | null;
  hasItem: boolean;
  /** Depth of the open list element; 0 once it is closed. */
  itemDepth: number;
  /** The card ends below this depth. */
  minDepth: number;
  /** Found by its link alone, which requires a thumbnail. */
  isBare: boolean;
  videoLink: VideoLink | null;
  hasBadId: boolean;
  linkTitle: Range | null;
  hasThumbnail: boolean;
  imageSource: Range | null;
  alt: Range | null;
  caption: Range | null;
  author: Range | null;
  authorLink: string | null;
  date: Range | null;
  counts: Count[];
  tagLinks: { text: Range; href: string }[];
}

export const createCard = (offset: number, minDepth: number, page: PageKind | null): Card => ({
  offset,
  page,
  hasItem: false,
  itemDepth: 0,
  minDepth,
  isBare: false,
  videoLink: null,
  hasBadId: false,
  linkTitle: null,
  hasThumbnail: false,
  imageSource: null,
  alt: null,
  caption: null,
  author: null,
  authorLink: null,
  date: null,
  counts: [],
  tagLinks: [],
});

const fillCard = (card: Card, other: Card): void => {
  card.linkTitle ??= other.linkTitle;
  card.imageSource ??= other.imageSource;
  card.alt ??= other.alt;
  card.caption ??= other.caption;
  card.date ??= other.date;
  if (card.counts.length === 0) card.counts = other.counts;
  if (card.tagLinks.length === 0) card.tagLinks = other.tagLinks;
};

export type Role =
  | { is: "item"; page: PageKind }
  | { is: "aside" }
  | { is: "caption" | "author" | "count-box" }
  | { is: "count"; fallback: "views" | "likes" }
  | { is: "watched-caption" | "watched-author" | "watched-likes" | "watched-date" };

const item = (page: PageKind): Role => ({ is: "item", page });

/** `data-e2e` → role. These names are stable; the hashed classes are not. */
export const ROLES = new Map<string, Role>([
  ["search_top-item", item("search")],
  ["search_video-item", item("search")],
  ["challenge-item", item("hashtag")],
  ["video-item", item("hashtag")],
  ["user-post-item", item("profile")],
  ["explore-item", item("explore")],
  ["explore-feed-item", item("discover")],
  ["search-card-desc", { is: "aside" }],
  ["explore-card-desc", { is: "aside" }],
  ["search-card-video-caption", { is: "caption" }],
  ["challenge-item-desc", { is: "caption" }],
  ["user-post-item-desc", { is: "caption" }],
  ["search-card-user-unique-id", { is: "author" }],
  ["explore-card-user-unique-id", { is: "author" }],
  ["challenge-item-username", { is: "author" }],
  ["search-card-like-container", { is: "count-box" }],
  ["explore-card-like-container", { is: "count-box" }],
  ["video-views", { is: "count", fallback: "views" }],
  ["video-desc", { is: "watched-caption" }],
  ["browse-video-desc", { is: "watched-caption" }],
  ["browse-username", { is: "watched-author" }],
  ["video-author-uniqueid", { is: "watched-author" }],
  ["like-count", { is: "watched-likes" }],
  ["browser-nickname", { is: "watched-date" }],
]);

export class Skips {
  private readonly byReason = new Map<SkipReason, Skipped>();

  add(reason: SkipReason, offset: number): void {
    const known = this.byReason.get(reason);
    if (known) known.count += 1;
    else this.byReason.set(reason, { reason, count: 1, offset });
  }

  list(): Skipped[] {
    return [...this.byReason.values()];
  }
}

export class CardList {
  readonly cards: Card[] = [];
  readonly pages = new Map<PageKind, number>();
  current: Card | null = null;
  private last: Card | null = null;
  private readonly byId = new Map<string, Card>();
  private readonly max: number;
  private readonly skips: Skips;

  constructor(max: number, skips: Skips) {
    this.max = max;
    this.skips = skips;
  }

  /** A list element belongs to the box around it, or its card ends with its parent: caption and author are siblings. */
  startItem(offset: number, depth: number, page: PageKind): boolean {
    this.count(page);
    const { current } = this;
    if (current && !current.videoLink && (current.itemDepth > 0 || !current.hasItem)) {
      current.page ??= page;
      current.hasItem = true;
      current.itemDepth ||= depth;
      return false;
    }
    const card = this.start(createCard(offset, depth - 1, page));
    card.hasItem = true;
    card.itemDepth = depth;
    return true;
  }

  startBox(offset: number, depth: number, page: PageKind | null): boolean {
    const { current } = this;
    if (current && !current.videoLink && (current.itemDepth > 0 || !current.hasItem)) return false;
    this.start(createCard(offset, depth, page));
    if (page) this.count(page);
    return true;
  }

  /** A video link outside of cards, or in another video's card. */
  startBare(offset: number, depth: number): Card {
    const card = this.start(createCard(offset, depth - 1, null));
    card.isBare = true;
    return card;
  }

  forAside(depth: number, lacks: (card: Card) => boolean): Card | null {
    if (!this.current && this.last && lacks(this.last)) {
      this.current = this.last;
      this.current.minDepth = depth;
    }
    return this.current;
  }

  /** Called with the number of open elements; true when the current card ended. */
  hasEnded(open: number): boolean {
    const { current } = this;
    if (!current) return false;
    if (open < current.itemDepth) current.itemDepth = 0;
    return open < current.minDepth;
  }

  finish(): void {
    const card = this.current;
    this.current = null;
    if (!card || card === this.last) return;
    if (!card.videoLink) this.skipUnlinked(card);
    else if (!card.isBare || card.hasThumbnail) this.add(card, card.videoLink);
  }

  private count(page: PageKind): void {
    this.pages.set(page, (this.pages.get(page) ?? 0) + 1);
  }

  private start(card: Card): Card {
    this.finish();
    this.current = card;
    return card;
  }

  private skipUnlinked(card: Card): void {
    if (card.hasBadId) this.skips.add("bad-id", card.offset);
    else if (card.page) this.skips.add("no-link", card.offset);
  }

  private add(card: Card, { id }: VideoLink): void {
    this.last = card;
    const known = this.byId.get(id);
    if (known) {
      fillCard(known, card);
      this.skips.add("duplicate", card.offset);
    } else if (this.cards.length >= this.max) this.skips.add("too-many", card.offset);
    else {
      this.byId.set(id, card);
      this.cards.push(card);
    }
  }
}
