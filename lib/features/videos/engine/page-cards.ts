import { type Card, CardList, createCard, type Icon, isOpen, type Range, type Role, type Skips } from "./cards.ts";
import { FigureOwners } from "./figures.ts";
import { ATTRIBUTE, codeOf } from "./html.ts";
import { PageBoundary } from "./page-boundary.ts";
import { CLASS, PageWalk } from "./page-walk.ts";
import { authorOfLink, idOf, parseVideoLink, type VideoLink } from "./text.ts";
import { HASHTAGS_MAX, type Limits, type PageKind, TAG_LINK_MAX } from "./types.ts";

const A = codeOf("a");
const IMG = codeOf("img");
const PATH = codeOf("path");
const SCRIPT = codeOf("script");
const LINK = codeOf("link");
const META = codeOf("meta");
const STRONG = codeOf("strong");
const SPAN = codeOf("span");
/** The codes of h1 to h6 follow each other. */
const [H1, H6] = [codeOf("h1"), codeOf("h6")];

const DATA_ID = /^(?:__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE|sigi-persisted-data|__NEXT_DATA__|api-data)$/;
const PLAYERS_MAX = 4;
const HEART: Icon = "heart";
const DATA_ASSIGNMENT = /^\s*window\[?\.?["']?SIGI_STATE/;

export interface PageParts {
  cards: Card[];
  unlinked: Card[];
  /** The video of a video page; its URL may be in the head only. */
  watched: Card | null;
  canonical: string[];
  /** Videos in players outside of cards. */
  players: VideoLink[];
  data: Range[];
  pages: ReadonlyMap<PageKind, number>;
}

/** Whether a page neither shows nor embeds a video. */
export const isEmptyPage = ({ cards, unlinked, watched, data }: PageParts): boolean =>
  cards.length + unlinked.length + data.length === 0 && !watched;

/** Where to read: one of several pages, unless no more may follow. */
interface PageExtent {
  from: number;
  to: number;
  isLast: boolean;
}

/** Finds the cards of a page, and the offsets of their parts, in one pass. Nothing is parsed yet. */
export class PageReader {
  private readonly walk: PageWalk;
  private readonly list: CardList;
  private readonly owners = new FigureOwners();
  private readonly canonical: string[] = [];
  private readonly players: VideoLink[] = [];
  private readonly data: Range[] = [];
  private watched: Card | null = null;
  private anchor: "video" | "other" | null = null;
  private tagLink: Range | null = null;
  private isInCaption = false;
  private countBox = 0;
  private icon: Icon = null;
  /** Depth of the open list of notifications or messages, and of the open heading; 0 outside. */
  private drawer = 0;
  private heading = 0;
  private readonly boundary: PageBoundary | null;
  /** Where another page or an API response begins; after `read`. */
  to: number;

  constructor(html: string, { from, to, isLast }: PageExtent, limits: Limits, skips: Skips) {
    this.walk = new PageWalk(html, from, to);
    this.list = new CardList(limits.videos, skips);
    this.to = to;
    this.boundary = isLast ? null : new PageBoundary(this.walk);
  }

  read(onPosition: (position: number) => void): PageParts {
    const { boundary } = this;
    const { scanner } = this.walk;
    for (let before = scanner.textTo; scanner.next(); before = scanner.textTo) {
      if (boundary?.isAtPage() && (boundary.hasEnded || !this.isEmpty())) {
        this.to = boundary.startOfNext(before);
        break;
      }
      if (scanner.isClosing) this.handleClosing();
      else this.handleOpening();
      onPosition(scanner.to);
      if (boundary?.isBeforeOther()) {
        this.to = scanner.to;
        break;
      }
    }
    this.finishCard();
    const { list, canonical, players, data } = this;
    const { cards, unlinked, pages } = list;
    return { cards, unlinked, watched: this.endWatched(), canonical, players, data, pages };
  }

  private isEmpty(): boolean {
    const { list, watched, data } = this;
    return list.cards.length + list.unlinked.length + data.length === 0 && !list.current && !watched;
  }

  /** A page may show no more of its video than the likes. */
  private endWatched(): Card | null {
    const likes = this.owners.unowned;
    if (this.watched || !likes) return this.watched;
    const watched = createCard(likes.from, 0, "video");
    watched.counts.push(likes);
    return watched;
  }

  private handleClosing(): void {
    const { walk, list } = this;
    if (walk.scanner.code === A) this.endLink();
    if (!walk.close()) return;
    this.owners.close(walk.depth);
    if (walk.depth < this.countBox) this.countBox = 0;
    if (walk.depth < this.drawer) this.drawer = 0;
    if (walk.depth < this.heading) this.heading = 0;
    if (list.hasEnded(walk.depth)) this.finishCard();
  }

  private handleOpening(): void {
    const { walk } = this;
    const depth = walk.open();
    const role = walk.roleOf();
    const classes = walk.classesOf();
    if (this.isInDrawer(depth, role, classes)) this.handleHead();
    else this.handleElement(depth, role, classes);
  }

  private handleElement(depth: number, role: Role | undefined, classes: number): void {
    const { scanner } = this.walk;
    if ((scanner.code >= H1 && scanner.code <= H6) || classes & CLASS.heading) this.handleHeading(depth);
    if (role) this.handleRole(role, depth);
    if (classes > 0 || scanner.startOf(ATTRIBUTE.id) >= 0) this.handleClass(depth, classes, role === undefined);
    if (scanner.code === A) this.handleLink(depth);
    else if (scanner.code === IMG) this.handleImage();
    else if (scanner.code === PATH) this.handleIcon();
    else if (scanner.code === STRONG || scanner.code === SPAN) {
      if (this.countBox > 0) this.readCount("likes");
    } else this.handleHead();
  }

  /** A video's list element counts even inside a list of notifications or messages; everything else there is ignored. */
  private isInDrawer(depth: number, role: Role | undefined, classes: number): boolean {
    if (role?.is === "item") this.drawer = 0;
    else if (this.drawer === 0 && (role?.is === "drawer" || classes & CLASS.drawer) && this.walk.hasContent) {
      this.drawer = depth;
    }
    return this.drawer > 0;
  }

  /** A hashtag in a heading is of its section, unless the heading is in a list element. */
  private handleHeading(depth: number): void {
    const { current } = this.list;
    if (!current || current.itemDepth > 0 || this.walk.isCapturing) return;
    if (this.tagLink) current.tagLinks.pop();
    this.tagLink = null;
    if (this.walk.hasContent) this.heading ||= depth;
  }

  private handleRole(role: Role, depth: number): void {
    const { list, walk } = this;
    if (role.is === "item") {
      this.flushFor(() => list.startItem(walk.scanner.from, depth, role));
    } else if (role.is === "aside") list.forAside(depth, ({ caption, author }) => !caption && !author);
    else if (role.is === "caption") this.readCaption(list.forAside(depth, ({ caption }) => !caption));
    else if (role.is === "author") this.readAuthor(list.forAside(depth, ({ author }) => !author));
    else if (role.is === "count-box") {
      list.forAside(depth, ({ counts }) => counts.length === 0);
      this.countBox = depth;
    } else if (role.is === "count") {
      if (list.current) this.readCount(role.fallback);
      else this.readFigure(role.fallback, depth, false);
    } else if (role.is !== "drawer") this.handleWatched(role.is, depth);
  }

  private flushFor(begin: () => boolean): void {
    const { current } = this.list;
    if (current) this.assignIcon(current);
    if (!begin()) return;
    this.walk.endCaptures();
    this.isInCaption = false;
    this.endLink();
    this.countBox = 0;
    this.icon = null;
  }

  private finishCard(): void {
    this.flushFor(() => {
      this.list.finish();
      return true;
    });
  }

  private assignIcon({ counts }: Card): void {
    const [only] = counts;
    if (only && counts.length === 1) only.icon ??= this.icon;
  }

  private readCaption(card: Card | null): void {
    if (!card || card.caption) return;
    this.isInCaption = this.walk.capture((range) => {
      card.caption ??= range;
      this.isInCaption = false;
    });
  }

  private readAuthor(card: Card | null): void {
    if (card && !card.author) this.walk.capture((range) => (card.author = range));
  }

  private readCount(fallback: "views" | "likes", icon = this.icon): void {
    const card = this.list.current;
    if (!card || this.walk.isCapturing || card.counts.length > 1) return;
    this.walk.capture(({ from, to }) => card.counts.push({ from, to, icon, fallback }));
    this.icon = null;
  }

  /** Reads a figure that is in no card, or beside one. */
  private readFigure(fallback: "views" | "likes", depth: number, mayBeMain: boolean): void {
    const { walk, list } = this;
    const count = { from: walk.scanner.to, to: walk.scanner.to, icon: mayBeMain ? HEART : this.icon, fallback };
    if (!walk.capture((range) => Object.assign(count, range))) return;
    this.owners.add(count, depth, { mayBeMain, current: list.current });
    this.icon = null;
  }

  private handleWatched(is: Role["is"], depth: number): void {
    const { current } = this.list;
    if (current && (current.page === "feed" || (current.videoLink && isOpen(current)))) this.readOwnPart(current, is);
    else if (is === "watched-likes") this.readFigure("likes", depth, true);
    else if (!current?.videoLink) this.readWatched(is, depth);
  }

  /** Feeds name the parts of their cards as video pages do. */
  private readOwnPart(card: Card, is: Role["is"]): void {
    if (is === "watched-caption") this.readCaption(card);
    if (is === "watched-author") this.readAuthor(card);
    if (is === "watched-likes") this.readCount("likes", HEART);
    if (is === "watched-date" && !card.date) this.walk.capture((range) => (card.date ??= range));
  }

  private readWatched(is: Role["is"], depth: number): void {
    const { walk } = this;
    this.watched ??= createCard(walk.scanner.from, 0, "video");
    const { watched } = this;
    this.owners.addMain(watched, depth);
    if (is === "watched-caption" && !watched.caption) this.readCaption(watched);
    if (is === "watched-author") walk.capture((range) => (watched.author ??= range));
    if (is === "watched-date") walk.capture((range) => (watched.date ??= range));
  }

  private handleClass(depth: number, classes: number, mayBeBox: boolean): void {
    const { walk, list } = this;
    const box = mayBeBox ? this.boxOf(classes) : null;
    if (box) this.flushFor(() => list.startBox(walk.scanner.from, depth, box));
    const player = walk.playerVideo();
    if (player) this.handlePlayer(player, depth);
    const card = list.current;
    if (!card || classes === 0) return;
    if (!card.date && classes & CLASS.time) walk.capture((range) => (card.date ??= range));
    if (classes & CLASS.play) this.icon = "play";
    if (mayBeBox && this.countBox === 0 && classes & CLASS.count) this.readCount("views");
  }

  private boxOf(classes: number): Pick<Card, "page" | "isGuess"> | null {
    const { walk } = this;
    if (classes & CLASS.searchBox) return { page: "search", isGuess: false };
    if (classes & CLASS.feedBox || walk.hasFeedBoxId()) return { page: "feed", isGuess: false };
    if (classes & CLASS.listBox) return { page: "collection", isGuess: false };
    const isKnown = walk.hasBoxId();
    return isKnown || classes & CLASS.box ? { page: null, isGuess: !isKnown } : null;
  }

  /** Feeds link their videos nowhere, but the player's id has the video's. */
  private handlePlayer(digits: string, depth: number): void {
    const { list, owners } = this;
    const id = idOf(digits);
    if (id === null) return;
    const card = list.current;
    const videoLink: VideoLink = { id, kind: "video", author: null };
    if (!card || !isOpen(card)) {
      if (this.players.length < PLAYERS_MAX) this.players.push(videoLink);
    } else if (!card.videoLink) {
      list.link(card, videoLink);
      owners.addCard(card, depth);
    }
  }

  /** A link also ends where another begins. When its text is too long, the tag is read from its URL instead. */
  private endLink(): void {
    const { tagLink, walk } = this;
    this.anchor = null;
    if (tagLink && walk.scanner.from - tagLink.from <= TAG_LINK_MAX) tagLink.to = walk.scanner.from;
    this.tagLink = null;
  }

  private handleLink(depth: number): void {
    const { walk, list } = this;
    const href = walk.scanner.raw(ATTRIBUTE.href);
    this.endLink();
    this.anchor = "other";
    // A feed's captions mention other users and videos.
    if (href === null || (this.isInCaption && list.current?.page === "feed")) return;
    if (href.includes("/video/") || href.includes("/photo/")) this.handleVideoLink(href, depth);
    else if (!list.current) return;
    else if (!this.isInCaption && href.includes("/tag/")) this.handleTagLink(href, list.current);
    else if (!list.current.videoLink?.author) list.current.authorLink ??= authorOfLink(href);
  }

  private handleTagLink(href: string, { tagLinks }: Card): void {
    if (this.heading > 0 || tagLinks.length >= HASHTAGS_MAX) return;
    const { to } = this.walk.scanner;
    this.tagLink = { from: to, to };
    tagLinks.push({ text: this.tagLink, href });
  }

  private handleVideoLink(href: string, depth: number): void {
    const { list, walk } = this;
    const videoLink = parseVideoLink(href);
    if (videoLink === null) return;
    this.anchor = "video";
    if (videoLink === "bad-id") {
      if (list.current) list.current.hasBadId = true;
      return;
    }
    const known = list.current?.videoLink;
    if (known && this.isKnownLink(videoLink, known)) return;
    if (!list.current || known) {
      this.flushFor(() => list.startBare(walk.scanner.from, depth) !== null);
      this.anchor = "video";
    }
    if (!list.current) return;
    list.link(list.current, videoLink);
    list.current.linkTitle = walk.rangeOf(ATTRIBUTE.title);
    this.owners.addCard(list.current, depth);
  }

  /** Whether a link in a card is its own, or one that a caption or a feed's card mentions. */
  private isKnownLink({ id, author }: VideoLink, known: VideoLink): boolean {
    if (known.id === id) known.author ??= author;
    const { current } = this.list;
    return known.id === id || this.isInCaption || (current?.page === "feed" && isOpen(current));
  }

  /** Takes the first image of a card that is not an avatar or an emoji in its caption. */
  private handleImage(): void {
    const { walk } = this;
    const card = this.list.current;
    if (!card || card.hasThumbnail || this.isInCaption || this.anchor === "other") return;
    const alt = walk.rangeOf(ATTRIBUTE.alt);
    if (!alt && this.anchor === null) return;
    if (walk.scanner.raw(ATTRIBUTE.src)?.includes("-avt-")) return;
    card.hasThumbnail = true;
    card.alt = alt;
    card.imageSource = walk.rangeOf(ATTRIBUTE.src);
  }

  private handleIcon(): void {
    const { scanner } = this.walk;
    const start = scanner.startOf(ATTRIBUTE.d);
    if (start < 0) return;
    if (scanner.html.startsWith("M16 10.554V37.4459", start)) this.icon = "play";
    else if (scanner.html.startsWith("M40.96 24.15", start)) this.icon = "heart";
  }

  private handleHead(): void {
    const { scanner } = this.walk;
    if (scanner.code === SCRIPT) {
      const start = scanner.html.slice(scanner.to, scanner.to + 64);
      if (!DATA_ID.test(scanner.raw(ATTRIBUTE.id) ?? "") && !DATA_ASSIGNMENT.test(start)) return;
      this.data.push({ from: scanner.to, to: scanner.textTo });
    } else if (this.canonical.length > 4) return;
    else if (scanner.code === LINK && scanner.raw(ATTRIBUTE.rel) === "canonical")
      this.canonical.push(scanner.raw(ATTRIBUTE.href) ?? "");
    else if (scanner.code === META && scanner.raw(ATTRIBUTE.property) === "og:url") {
      this.canonical.push(scanner.raw(ATTRIBUTE.content) ?? "");
    }
  }
}
