import type { VideoLink } from "./text.ts";
import type { PageKind, Skipped, SkipReason } from "./types.ts";

export interface Range {
  from: number;
  to: number;
}

/** The icon tells views from likes; the element's name does not. */
export type Icon = "play" | "heart" | null;

export interface Count extends Range {
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
  /** Found by an element around it that is not a list element. */
  isBox: boolean;
  /** Found by its link or a common class alone. It needs a thumbnail, and a text or figure that no notification has. */
  isGuess: boolean;
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
  isBox: false,
  isGuess: false,
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

/** Whether the element that the card was found by is still open. */
export const isOpen = ({ itemDepth, hasItem, isBox }: Card): boolean => itemDepth > 0 || (isBox && !hasItem);

/** Drops what was above a card's link or list element: it belongs to the section. */
const dropHeader = (card: Card): void => {
  card.tagLinks = [];
  card.authorLink = null;
  card.counts = [];
  card.date = null;
  card.hasThumbnail = false;
  card.imageSource = null;
  card.alt = null;
};

const shows = ({ alt, linkTitle, caption, date, counts, tagLinks }: Card): boolean =>
  [alt, linkTitle, caption, date].some((part) => part !== null) || counts.length > 0 || tagLinks.length > 0;

export type Role =
  /** `isWhole`: all parts of the card are in this element; otherwise caption and author may be its siblings. */
  | { is: "item"; page: PageKind | null; isWhole: boolean }
  | { is: "aside" | "drawer" }
  | { is: "caption" | "author" | "count-box" }
  | { is: "count"; fallback: "views" | "likes" }
  | { is: "watched-caption" | "watched-author" | "watched-likes" | "watched-date" };

const item = (page: PageKind | null, isWhole = false): Role => ({ is: "item", page, isWhole });

/** `data-e2e` → role. These names are stable; the hashed classes are not. */
const ROLES = new Map<string, Role>([
  ["search_top-item", item("search")],
  ["search_video-item", item("search")],
  ["challenge-item", item("hashtag")],
  ["video-item", item("hashtag")],
  ["user-post-item", item("profile")],
  ["explore-item", item("explore")],
  ["explore-feed-item", item("discover")],
  ["user-liked-item", item("profile")],
  ["user-repost-item", item("profile")],
  ["favorites-item", item("profile")],
  ["collection-item", item("collection")],
  ["playlist-item", item("collection")],
  ["recommend-list-item-container", item("feed", true)],
  ["feed-item", item("feed", true)],
  ["feed-video", item("feed")],
  ["music-item", item(null)],
  ["search-card-desc", { is: "aside" }],
  ["explore-card-desc", { is: "aside" }],
  ["search-card-video-caption", { is: "caption" }],
  ["challenge-item-desc", { is: "caption" }],
  ["user-post-item-desc", { is: "caption" }],
  ["collection-item-desc", { is: "caption" }],
  ["playlist-item-desc", { is: "caption" }],
  ["search-card-user-unique-id", { is: "author" }],
  ["explore-card-user-unique-id", { is: "author" }],
  ["challenge-item-username", { is: "author" }],
  ["collection-item-username", { is: "author" }],
  ["playlist-item-username", { is: "author" }],
  ["search-card-like-container", { is: "count-box" }],
  ["explore-card-like-container", { is: "count-box" }],
  ["video-views", { is: "count", fallback: "views" }],
  ["video-desc", { is: "watched-caption" }],
  ["browse-video-desc", { is: "watched-caption" }],
  ["browse-username", { is: "watched-author" }],
  ["video-author-uniqueid", { is: "watched-author" }],
  ["like-count", { is: "watched-likes" }],
  ["browse-like-count", { is: "watched-likes" }],
  ["browser-nickname", { is: "watched-date" }],
]);

/** Lists of notifications, messages and comments, which link videos too. */
const DRAWER = /^(?:inbox|notification|chat-|message-|conversation-|dm-|comment-(?:level|list|item|text))/;
/** Unknown item names that resemble known ones. */
const LIST_ITEM =
  /^(?:user-|creator-)?(?:like|favou?rites?|collection|playlist|mix|recommend|related)(?:-video)?-item$/;

export const roleNamed = (name: string): Role | undefined => {
  const known = ROLES.get(name);
  if (known) return known;
  if (DRAWER.test(name)) return { is: "drawer" };
  return LIST_ITEM.test(name) ? item(/collection|playlist|mix/.test(name) ? "collection" : null) : undefined;
};

export class Skips {
  private readonly byReason = new Map<SkipReason, Skipped>();

  add(reason: SkipReason, offset: number): void {
    const known = this.byReason.get(reason);
    if (known) known.count += 1;
    else this.byReason.set(reason, { reason, count: 1, offset });
  }

  /** @param offset where the other text begins in this one */
  addAll(others: Skips, offset: number): void {
    for (const other of others.list()) {
      const known = this.byReason.get(other.reason);
      if (known) known.count += other.count;
      else this.byReason.set(other.reason, { ...other, offset: offset + other.offset });
    }
  }

  list(): Skipped[] {
    return [...this.byReason.values()];
  }
}

export class CardList {
  readonly cards: Card[] = [];
  readonly pages = new Map<PageKind, number>();
  /** Cards of a feed without a link; the page's data may know the video. */
  readonly unlinked: Card[] = [];
  current: Card | null = null;
  private last: Card | null = null;
  private readonly byId = new Map<string, Card>();
  private readonly max: number;
  private readonly skips: Skips;

  constructor(max: number, skips: Skips) {
    this.max = max;
    this.skips = skips;
  }

  /** A list element belongs to the box around it, or its card ends with its parent unless it is whole. */
  startItem(offset: number, depth: number, { page, isWhole }: { page: PageKind | null; isWhole: boolean }): boolean {
    if (page) this.count(page);
    const { current } = this;
    const isOther = current?.hasItem && current.page === "feed" && page !== "feed";
    if (current && !isOther && !current.videoLink && (current.itemDepth > 0 || !current.hasItem)) {
      if (current.itemDepth === 0) dropHeader(current);
      current.page ??= page;
      current.hasItem = true;
      current.itemDepth ||= depth;
      return false;
    }
    const card = this.start(createCard(offset, isWhole ? depth : depth - 1, page));
    card.hasItem = true;
    card.itemDepth = depth;
    return true;
  }

  startBox(offset: number, depth: number, { page, isGuess }: Pick<Card, "page" | "isGuess">): boolean {
    const { current } = this;
    if (current && !current.videoLink && (current.itemDepth > 0 || !current.hasItem)) return false;
    const card = this.start(createCard(offset, depth, page));
    card.isBox = true;
    card.isGuess = isGuess;
    if (page) this.count(page);
    return true;
  }

  /** Hashtags above the first link of a box are of its section. */
  link(card: Card, videoLink: VideoLink): void {
    if (card.isBox && card.itemDepth === 0) card.tagLinks = [];
    card.videoLink = videoLink;
  }

  /** A video link outside of cards, or in another video's card. */
  startBare(offset: number, depth: number): Card {
    const card = this.start(createCard(offset, depth - 1, null));
    card.isGuess = true;
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
    else if (card.hasItem || !card.isGuess || (card.hasThumbnail && shows(card))) this.add(card, card.videoLink);
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
    else if (card.page === "feed" && shows(card) && this.unlinked.length < this.max) this.unlinked.push(card);
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
