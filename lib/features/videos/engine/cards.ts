import type { VideoAddress } from "./text.ts";
import type { PageKind, Skipped, SkipReason } from "./types.ts";

/** A part of the page, from one place to another. */
export interface Range {
  from: number;
  to: number;
}

/** Views and likes are told apart by the drawing beside them; what an element is called does not say it. */
export type Glyph = "play" | "heart" | null;

interface Count extends Range {
  glyph: Glyph;
  /** What it counts when there is no drawing. */
  otherwise: "views" | "likes";
}

/** What belongs to one video of a page: places only, read when the card is complete. */
export interface Card {
  offset: number;
  page: PageKind | null;
  /** Whether the element of the list itself was seen, not only the box around it. */
  hasItem: boolean;
  /** Number of open elements with that element, as long as it is open; else 0. */
  itemDepth: number;
  /** With fewer open elements than these the card has ended. */
  floor: number;
  /** Found by its link alone: then it has to show a picture. */
  isBare: boolean;
  address: VideoAddress | null;
  hasBadId: boolean;
  linkTitle: Range | null;
  hasPicture: boolean;
  pictureSource: Range | null;
  alt: Range | null;
  caption: Range | null;
  author: Range | null;
  authorLink: string | null;
  date: Range | null;
  counts: Count[];
  tagLinks: { text: Range; href: string }[];
}

export const createCard = (offset: number, floor: number, page: PageKind | null): Card => ({
  offset,
  page,
  hasItem: false,
  itemDepth: 0,
  floor,
  isBare: false,
  address: null,
  hasBadId: false,
  linkTitle: null,
  hasPicture: false,
  pictureSource: null,
  alt: null,
  caption: null,
  author: null,
  authorLink: null,
  date: null,
  counts: [],
  tagLinks: [],
});

/** Fills what the first card of a video lacks from a second one. */
const fillCard = (card: Card, other: Card): void => {
  card.linkTitle ??= other.linkTitle;
  card.pictureSource ??= other.pictureSource;
  card.alt ??= other.alt;
  card.caption ??= other.caption;
  card.date ??= other.date;
  if (card.counts.length === 0) card.counts = other.counts;
  if (card.tagLinks.length === 0) card.tagLinks = other.tagLinks;
};

/** What an element of a page stands for, by the name that the site's own tests give it. */
export type Role =
  | { is: "item"; page: PageKind }
  | { is: "aside" }
  | { is: "caption" | "author" | "count-box" }
  | { is: "count"; otherwise: "views" | "likes" }
  | { is: "watched-caption" | "watched-author" | "watched-likes" | "watched-date" };

const item = (page: PageKind): Role => ({ is: "item", page });

/** `data-e2e` → role. These names last, the hashed classes do not. */
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
  ["video-views", { is: "count", otherwise: "views" }],
  ["video-desc", { is: "watched-caption" }],
  ["browse-video-desc", { is: "watched-caption" }],
  ["browse-username", { is: "watched-author" }],
  ["video-author-uniqueid", { is: "watched-author" }],
  ["like-count", { is: "watched-likes" }],
  ["browser-nickname", { is: "watched-date" }],
]);

/** Counts what was left out, by reason (R-VID-24). */
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

/** The cards of a page: where one ends and the next begins. */
export class CardList {
  readonly cards: Card[] = [];
  /** How often each kind of list element was seen. */
  readonly pages = new Map<PageKind, number>();
  /** The card that is being read. */
  current: Card | null = null;
  private last: Card | null = null;
  private readonly byId = new Map<string, Card>();
  private readonly most: number;
  private readonly skips: Skips;

  constructor(most: number, skips: Skips) {
    this.most = most;
    this.skips = skips;
  }

  /**
   * An element of a list begins. It belongs to the box around it, or starts a card that ends with its parent: caption
   * and author stand beside it. True when a card has begun.
   */
  startItem(offset: number, depth: number, page: PageKind): boolean {
    this.count(page);
    const { current } = this;
    if (current && !current.address && (current.itemDepth > 0 || !current.hasItem)) {
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

  /** A box around an element of a list, and what stands beside it, begins. */
  startBox(offset: number, depth: number, page: PageKind | null): boolean {
    const { current } = this;
    if (current && !current.address && (current.itemDepth > 0 || !current.hasItem)) return false;
    this.start(createCard(offset, depth, page));
    if (page) this.count(page);
    return true;
  }

  /** A link to a video, in no card or in that of another video. */
  startBare(offset: number, depth: number): Card {
    const card = this.start(createCard(offset, depth - 1, null));
    card.isBare = true;
    return card;
  }

  /** The card for something that may stand beside its card: the present one, or the last that still lacks it. */
  forAside(depth: number, lacks: (card: Card) => boolean): Card | null {
    if (!this.current && this.last && lacks(this.last)) {
      this.current = this.last;
      this.current.floor = depth;
    }
    return this.current;
  }

  /** So many elements are open after one was closed. True when the present card has thereby ended. */
  hasEnded(open: number): boolean {
    const { current } = this;
    if (!current) return false;
    if (open < current.itemDepth) current.itemDepth = 0;
    return open < current.floor;
  }

  finish(): void {
    const card = this.current;
    this.current = null;
    if (!card || card === this.last) return;
    if (!card.address) this.skipUnlinked(card);
    else if (!card.isBare || card.hasPicture) this.add(card, card.address);
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

  private add(card: Card, { id }: VideoAddress): void {
    this.last = card;
    const known = this.byId.get(id);
    if (known) {
      fillCard(known, card);
      this.skips.add("duplicate", card.offset);
    } else if (this.cards.length >= this.most) this.skips.add("too-many", card.offset);
    else {
      this.byId.set(id, card);
      this.cards.push(card);
    }
  }
}
