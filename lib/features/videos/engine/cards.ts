import type { VideoAddress } from "./addresses.ts";
import type { PageKind } from "./types.ts";

/** A part of the page, from one place to another. */
export interface Range {
  from: number;
  to: number;
}

/** Views and likes are told apart by the drawing beside them; what an element is called does not say it. */
export type Glyph = "play" | "heart" | null;

export interface Count extends Range {
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
export const fillCard = (card: Card, other: Card): void => {
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
