import { type Card, CardList, createCard, type Glyph, type Range, ROLES, type Role, type Skips } from "./cards.ts";
import { ATTRIBUTE, type Attribute, codeOf, KnownTexts, OpenElements, TagScanner } from "./html.ts";
import { authorOfLink, videoAddressOf } from "./text.ts";
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

/** Everything that one pass over a page finds. */
export interface PageParts {
  cards: Card[];
  /** The video that the page is about; its own address may stand in the head alone. */
  watched: Card | null;
  /** Addresses by which the head names the page, as written. */
  canonical: string[];
  /** Texts of the scripts that carry data. */
  data: Range[];
  pages: ReadonlyMap<PageKind, number>;
}

/** Reads a page in one pass: finds its cards, and within them the places of what they tell. Nothing is parsed yet. */
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
  private glyph: Glyph = null;

  constructor(html: string, limits: Limits, skips: Skips) {
    this.walk = new PageWalk(html, Math.min(html.length, limits.pageLength));
    this.list = new CardList(limits.videos, skips);
  }

  read(onPlace: (place: number) => void): PageParts {
    const { walk } = this;
    const { scanner } = walk;
    while (scanner.next()) {
      if (scanner.isClosing) this.takeClosing();
      else this.takeOpening();
      onPlace(scanner.to);
    }
    this.finishCard();
    const { list, watched, canonical, data } = this;
    return { cards: list.cards, watched, canonical, data, pages: list.pages };
  }

  private takeClosing(): void {
    const { walk, list } = this;
    if (walk.scanner.code === A) this.endLink();
    if (!walk.close()) return;
    if (walk.depth < this.countBox) this.countBox = 0;
    if (list.hasEnded(walk.depth)) this.finishCard();
  }

  private takeOpening(): void {
    const { scanner } = this.walk;
    const depth = this.walk.open();
    const role = this.walk.roleOf();
    if (role) this.takeRole(role, depth);
    if (scanner.startOf(ATTRIBUTE.class) >= 0 || scanner.startOf(ATTRIBUTE.id) >= 0)
      this.takeClass(depth, role === undefined);
    if (scanner.code === A) this.takeLink(depth);
    else if (scanner.code === IMG) this.takePicture();
    else if (scanner.code === PATH) this.takeDrawing();
    else if (scanner.code === STRONG || scanner.code === SPAN) {
      if (this.countBox > 0) this.readCount("likes");
    } else this.takeHead();
  }

  private takeRole(role: Role, depth: number): void {
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
    } else if (role.is === "count") this.readCount(role.otherwise);
    else this.takeWatched(role.is);
  }

  /** Lets a card begin: what the one before was still reading ends here. */
  private flushFor(begin: () => boolean): void {
    const { current } = this.list;
    if (current) this.giveGlyph(current);
    if (!begin()) return;
    this.walk.endCaptures();
    this.isInCaption = false;
    this.endLink();
    this.countBox = 0;
    this.glyph = null;
  }

  private finishCard(): void {
    this.flushFor(() => {
      this.list.finish();
      return true;
    });
  }

  /** A drawing that stands behind its count. */
  private giveGlyph({ counts }: Card): void {
    const [only] = counts;
    if (only && counts.length === 1) only.glyph ??= this.glyph;
  }

  private readCaption(card: Card | null): void {
    if (!card || card.caption) return;
    this.isInCaption = this.walk.capture((range) => {
      card.caption ??= range;
      this.isInCaption = false;
    });
  }

  private readCount(otherwise: "views" | "likes"): void {
    const card = this.list.current;
    if (!card || this.walk.isCapturing || card.counts.length > 1) return;
    const { glyph } = this;
    this.walk.capture(({ from, to }) => card.counts.push({ from, to, glyph, otherwise }));
    this.glyph = null;
  }

  private takeWatched(is: Role["is"]): void {
    const { list, walk } = this;
    if (list.current?.address) return;
    this.watched ??= createCard(walk.scanner.from, 0, "video");
    const { watched } = this;
    if (is === "watched-caption" && !watched.caption) this.readCaption(watched);
    if (is === "watched-author") walk.capture((range) => (watched.author ??= range));
    if (is === "watched-date") walk.capture((range) => (watched.date ??= range));
    if (is === "watched-likes" && watched.counts.length === 0) {
      walk.capture(({ from, to }) => watched.counts.push({ from, to, glyph: null, otherwise: "likes" }));
    }
  }

  private takeClass(depth: number, mayBeBox: boolean): void {
    const { walk, list } = this;
    const classes = walk.classesOf();
    if (mayBeBox && (classes & CLASS.box || walk.hasBoxId())) {
      const page = classes & CLASS.searchBox ? "search" : null;
      this.flushFor(() => list.startBox(walk.scanner.from, depth, page));
    }
    const card = list.current;
    if (!card || classes === 0) return;
    if (!card.date && classes & CLASS.time) walk.capture((range) => (card.date ??= range));
    if (classes & CLASS.play) this.glyph = "play";
    if (mayBeBox && this.countBox === 0 && classes & CLASS.count) this.readCount("views");
  }

  /** A link ends where another begins, too. A text beyond the bound is none: then the address tells the hashtag. */
  private endLink(): void {
    const { tagLink, walk } = this;
    this.anchor = null;
    if (tagLink && walk.scanner.from - tagLink.from <= TAG_LINK_MAX) tagLink.to = walk.scanner.from;
    this.tagLink = null;
  }

  private takeLink(depth: number): void {
    const { walk, list } = this;
    const href = walk.scanner.raw(ATTRIBUTE.href);
    this.endLink();
    this.anchor = "other";
    if (href === null) return;
    if (href.includes("/video/") || href.includes("/photo/")) this.takeVideoLink(href, depth);
    else if (list.current && !this.isInCaption && href.includes("/tag/")) {
      const { tagLinks } = list.current;
      if (tagLinks.length >= HASHTAGS_MAX) return;
      this.tagLink = { from: walk.scanner.to, to: walk.scanner.to };
      tagLinks.push({ text: this.tagLink, href });
    } else if (list.current && !list.current.address?.author) list.current.authorLink ??= authorOfLink(href);
  }

  private takeVideoLink(href: string, depth: number): void {
    const { list, walk } = this;
    const address = videoAddressOf(href);
    if (address === null) return;
    this.anchor = "video";
    if (address === "bad-id") {
      if (list.current) list.current.hasBadId = true;
      return;
    }
    const known = list.current?.address;
    if (known?.id === address.id || (known && this.isInCaption)) return;
    if (!list.current || known) {
      this.flushFor(() => list.startBare(walk.scanner.from, depth) !== null);
      this.anchor = "video";
    }
    if (!list.current) return;
    list.current.address = address;
    list.current.linkTitle = walk.rangeOf(ATTRIBUTE.title);
  }

  /** The first picture of a card that is neither an avatar nor a letter of its caption. */
  private takePicture(): void {
    const { walk } = this;
    const card = this.list.current;
    if (!card || card.hasPicture || this.isInCaption || this.anchor === "other") return;
    const alt = walk.rangeOf(ATTRIBUTE.alt);
    if (!alt && this.anchor === null) return;
    if (walk.scanner.raw(ATTRIBUTE.src)?.includes("-avt-")) return;
    card.hasPicture = true;
    card.alt = alt;
    card.pictureSource = walk.rangeOf(ATTRIBUTE.src);
  }

  private takeDrawing(): void {
    const { scanner } = this.walk;
    const start = scanner.startOf(ATTRIBUTE.d);
    if (start < 0) return;
    if (scanner.html.startsWith("M16 10.554V37.4459", start)) this.glyph = "play";
    else if (scanner.html.startsWith("M40.96 24.15", start)) this.glyph = "heart";
  }

  private takeHead(): void {
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

/** Parts of class names. The hash before them changes with each build of the site, they do not. */
const CLASSES = ["DivItemContainer", "DivItemContainerForSearch", "DivTimeTag", "StrongVideoCount", "StyledPlay"];
/** The same as bits, as they are asked for with each tag. */
const CLASS = { box: 1, searchBox: 2, time: 4, count: 8, play: 16 } as const;

const BOX_IDS = ["column-item-video-container-", "grid-item-container-"];

const classesIn = (names: string): number =>
  CLASSES.reduce((bits, name, index) => (names.includes(name) ? bits | (1 << index) : bits), 0);

interface Capture {
  depth: number;
  from: number;
  done: (range: Range) => unknown;
}

/** A pass over the tags of a page that knows what is open, and can tell where an element's inside ends. */
class PageWalk {
  readonly scanner: TagScanner;
  private readonly elements = new OpenElements();
  private readonly captures: Capture[] = [];
  private readonly classes = new KnownTexts(classesIn);
  private readonly roles = new KnownTexts((name) => ROLES.get(name));
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

  /** Takes the present opening tag; answers its depth, 1 for the outermost. */
  open(): number {
    this.isInside = this.elements.open(this.scanner);
    return this.isInside ? this.elements.length : this.elements.length + 1;
  }

  /** Takes the present closing tag; false when it closes nothing. */
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

  /**
   * Tells where the inside of the element that has just been opened begins and ends, once it ends; false when it has
   * no inside.
   */
  capture(done: Capture["done"]): boolean {
    if (this.isInside) this.captures.push({ depth: this.elements.length, from: this.scanner.to, done });
    return this.isInside;
  }

  /** Ends what is being captured before the present tag. */
  endCaptures(): void {
    for (let last = this.captures.pop(); last; last = this.captures.pop()) {
      if (last.from <= this.scanner.from) last.done({ from: last.from, to: this.scanner.from });
    }
  }

  /** Where the value of an attribute stands; null when it is missing or empty. */
  rangeOf(attribute: Attribute): Range | null {
    const from = this.scanner.startOf(attribute);
    const to = this.scanner.endOf(attribute);
    return from >= 0 && to > from ? { from, to } : null;
  }

  /** Which parts the classes of the present tag have, in the bits of CLASS. */
  classesOf(): number {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE.class);
    return from < 0 ? 0 : this.classes.meaningOf(scanner.html, from, scanner.endOf(ATTRIBUTE.class));
  }

  /** Whether the id of the present tag is that of a box in a grid. */
  hasBoxId(): boolean {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE.id);
    return from >= 0 && BOX_IDS.some((id) => scanner.html.startsWith(id, from));
  }

  /** What the present tag stands for. */
  roleOf(): Role | undefined {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE["data-e2e"]);
    return from < 0 ? undefined : this.roles.meaningOf(scanner.html, from, scanner.endOf(ATTRIBUTE["data-e2e"]));
  }
}
