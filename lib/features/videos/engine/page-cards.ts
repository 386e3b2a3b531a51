import { type Card, CardList, createCard, type Icon, type Range, ROLES, type Role, type Skips } from "./cards.ts";
import { ATTRIBUTE, type Attribute, codeOf, OpenElements, TagScanner, TextCache } from "./html.ts";
import { authorOfLink, parseVideoLink } from "./text.ts";
import { HASHTAGS_MAX, type Limits, type PageKind, TAG_LINK_MAX } from "./types.ts";

const A = codeOf("a");
const IMG = codeOf("img");
const PATH = codeOf("path");
const SCRIPT = codeOf("script");
const LINK = codeOf("link");
const META = codeOf("meta");
const STRONG = codeOf("strong");
const SPAN = codeOf("span");

const DATA_ID = /^(?:__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE|__NEXT_DATA__)$/;
const DATA_ASSIGNMENT = /^\s*window\[?\.?["']?SIGI_STATE/;

export interface PageParts {
  cards: Card[];
  /** The video of a video page; its URL may be in the head only. */
  watched: Card | null;
  canonical: string[];
  data: Range[];
  pages: ReadonlyMap<PageKind, number>;
}

/** Finds the cards of a page, and the offsets of their parts, in one pass. Nothing is parsed yet. */
export class PageReader {
  private readonly walk: PageWalk;
  private readonly list: CardList;
  private readonly canonical: string[] = [];
  private readonly data: Range[] = [];
  private watched: Card | null = null;
  private anchor: "video" | "other" | null = null;
  private tagLink: Range | null = null;
  private isInCaption = false;
  private countBox = 0;
  private icon: Icon = null;

  constructor(html: string, limits: Limits, skips: Skips) {
    this.walk = new PageWalk(html, Math.min(html.length, limits.pageLength));
    this.list = new CardList(limits.videos, skips);
  }

  read(onPosition: (position: number) => void): PageParts {
    const { walk } = this;
    const { scanner } = walk;
    while (scanner.next()) {
      if (scanner.isClosing) this.handleClosing();
      else this.handleOpening();
      onPosition(scanner.to);
    }
    this.finishCard();
    const { list, watched, canonical, data } = this;
    return { cards: list.cards, watched, canonical, data, pages: list.pages };
  }

  private handleClosing(): void {
    const { walk, list } = this;
    if (walk.scanner.code === A) this.endLink();
    if (!walk.close()) return;
    if (walk.depth < this.countBox) this.countBox = 0;
    if (list.hasEnded(walk.depth)) this.finishCard();
  }

  private handleOpening(): void {
    const { scanner } = this.walk;
    const depth = this.walk.open();
    const role = this.walk.roleOf();
    if (role) this.handleRole(role, depth);
    if (scanner.startOf(ATTRIBUTE.class) >= 0 || scanner.startOf(ATTRIBUTE.id) >= 0)
      this.handleClass(depth, role === undefined);
    if (scanner.code === A) this.handleLink(depth);
    else if (scanner.code === IMG) this.handleImage();
    else if (scanner.code === PATH) this.handleIcon();
    else if (scanner.code === STRONG || scanner.code === SPAN) {
      if (this.countBox > 0) this.readCount("likes");
    } else this.handleHead();
  }

  private handleRole(role: Role, depth: number): void {
    const { list, walk } = this;
    if (role.is === "item") {
      this.flushFor(() => list.startItem(walk.scanner.from, depth, role.page));
    } else if (role.is === "aside") list.forAside(depth, ({ caption, author }) => !caption && !author);
    else if (role.is === "caption") this.readCaption(list.forAside(depth, ({ caption }) => !caption));
    else if (role.is === "author") {
      const card = list.forAside(depth, ({ author }) => !author);
      if (card && !card.author) walk.capture((range) => (card.author = range));
    } else if (role.is === "count-box") {
      list.forAside(depth, ({ counts }) => counts.length === 0);
      this.countBox = depth;
    } else if (role.is === "count") this.readCount(role.fallback);
    else this.handleWatched(role.is);
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

  private readCount(fallback: "views" | "likes"): void {
    const card = this.list.current;
    if (!card || this.walk.isCapturing || card.counts.length > 1) return;
    const { icon } = this;
    this.walk.capture(({ from, to }) => card.counts.push({ from, to, icon, fallback }));
    this.icon = null;
  }

  private handleWatched(is: Role["is"]): void {
    const { list, walk } = this;
    if (list.current?.videoLink) return;
    this.watched ??= createCard(walk.scanner.from, 0, "video");
    const { watched } = this;
    if (is === "watched-caption" && !watched.caption) this.readCaption(watched);
    if (is === "watched-author") walk.capture((range) => (watched.author ??= range));
    if (is === "watched-date") walk.capture((range) => (watched.date ??= range));
    if (is === "watched-likes" && watched.counts.length === 0) {
      walk.capture(({ from, to }) => watched.counts.push({ from, to, icon: null, fallback: "likes" }));
    }
  }

  private handleClass(depth: number, mayBeBox: boolean): void {
    const { walk, list } = this;
    const classes = walk.classesOf();
    if (mayBeBox && (classes & CLASS.box || walk.hasBoxId())) {
      const page = classes & CLASS.searchBox ? "search" : null;
      this.flushFor(() => list.startBox(walk.scanner.from, depth, page));
    }
    const card = list.current;
    if (!card || classes === 0) return;
    if (!card.date && classes & CLASS.time) walk.capture((range) => (card.date ??= range));
    if (classes & CLASS.play) this.icon = "play";
    if (mayBeBox && this.countBox === 0 && classes & CLASS.count) this.readCount("views");
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
    if (href === null) return;
    if (href.includes("/video/") || href.includes("/photo/")) this.handleVideoLink(href, depth);
    else if (list.current && !this.isInCaption && href.includes("/tag/")) {
      const { tagLinks } = list.current;
      if (tagLinks.length >= HASHTAGS_MAX) return;
      this.tagLink = { from: walk.scanner.to, to: walk.scanner.to };
      tagLinks.push({ text: this.tagLink, href });
    } else if (list.current && !list.current.videoLink?.author) list.current.authorLink ??= authorOfLink(href);
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
    if (known?.id === videoLink.id || (known && this.isInCaption)) return;
    if (!list.current || known) {
      this.flushFor(() => list.startBare(walk.scanner.from, depth) !== null);
      this.anchor = "video";
    }
    if (!list.current) return;
    list.current.videoLink = videoLink;
    list.current.linkTitle = walk.rangeOf(ATTRIBUTE.title);
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

/** Stable parts of class names; the hash before them changes with each build of the site. */
const CLASSES = ["DivItemContainer", "DivItemContainerForSearch", "DivTimeTag", "StrongVideoCount", "StyledPlay"];
const CLASS = { box: 1, searchBox: 2, time: 4, count: 8, play: 16 } as const;

const BOX_IDS = ["column-item-video-container-", "grid-item-container-"];

const classesIn = (names: string): number =>
  CLASSES.reduce((bits, name, index) => (names.includes(name) ? bits | (1 << index) : bits), 0);

interface Capture {
  depth: number;
  from: number;
  done: (range: Range) => unknown;
}

class PageWalk {
  readonly scanner: TagScanner;
  private readonly elements = new OpenElements();
  private readonly captures: Capture[] = [];
  private readonly classes = new TextCache(classesIn);
  private readonly roles = new TextCache((name) => ROLES.get(name));
  private isInside = false;

  constructor(html: string, end: number) {
    this.scanner = new TagScanner(html, 0, end);
  }

  get depth(): number {
    return this.elements.length;
  }

  get isCapturing(): boolean {
    return this.captures.length > 0;
  }

  open(): number {
    this.isInside = this.elements.open(this.scanner);
    return this.isInside ? this.elements.length : this.elements.length + 1;
  }

  /** Returns false when the tag closes nothing. */
  close(): boolean {
    const before = this.elements.length;
    this.elements.close(this.scanner.code);
    if (this.elements.length === before) return false;
    for (let last = this.captures.at(-1); last && last.depth > this.elements.length; last = this.captures.at(-1)) {
      this.captures.pop();
      last.done({ from: last.from, to: this.scanner.from });
    }
    return true;
  }

  /** Calls `done` with the content range of the current element once it ends; false when it has no content. */
  capture(done: Capture["done"]): boolean {
    if (this.isInside) this.captures.push({ depth: this.elements.length, from: this.scanner.to, done });
    return this.isInside;
  }

  endCaptures(): void {
    for (let last = this.captures.pop(); last; last = this.captures.pop()) {
      if (last.from <= this.scanner.from) last.done({ from: last.from, to: this.scanner.from });
    }
  }

  rangeOf(attribute: Attribute): Range | null {
    const from = this.scanner.startOf(attribute);
    const to = this.scanner.endOf(attribute);
    return from >= 0 && to > from ? { from, to } : null;
  }

  classesOf(): number {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE.class);
    return from < 0 ? 0 : this.classes.get(scanner.html, from, scanner.endOf(ATTRIBUTE.class));
  }

  hasBoxId(): boolean {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE.id);
    return from >= 0 && BOX_IDS.some((id) => scanner.html.startsWith(id, from));
  }

  roleOf(): Role | undefined {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE["data-e2e"]);
    return from < 0 ? undefined : this.roles.get(scanner.html, from, scanner.endOf(ATTRIBUTE["data-e2e"]));
  }
}
