import { type Range, type Role, roleNamed } from "./cards.ts";
import { ATTRIBUTE, type Attribute, OpenElements, TagScanner, TextCache } from "./html.ts";

export const CLASS = {
  box: 1,
  searchBox: 2,
  feedBox: 4,
  listBox: 8,
  time: 16,
  count: 32,
  play: 64,
  heading: 128,
  drawer: 256,
} as const;

/** Stable parts of class names; the hash before them changes with each build of the site. */
const CLASS_NAMES: readonly (readonly [name: string, bit: number])[] = [
  ["DivItemContainer", CLASS.box],
  ["DivItemContainerForSearch", CLASS.searchBox],
  ["ArticleItemContainer", CLASS.feedBox],
  ["PlaylistItem", CLASS.listBox],
  ["CollectionItem", CLASS.listBox],
  ["DivTimeTag", CLASS.time],
  ["StrongVideoCount", CLASS.count],
  ["StyledPlay", CLASS.play],
  ["SectionTitle", CLASS.heading],
  ["SectionHeader", CLASS.heading],
  ["Heading", CLASS.heading],
  ["Inbox", CLASS.drawer],
  ["Notification", CLASS.drawer],
  ["DivChat", CLASS.drawer],
  ["Conversation", CLASS.drawer],
  ["DivCommentList", CLASS.drawer],
  ["DivCommentItem", CLASS.drawer],
  ["DivCommentObject", CLASS.drawer],
];

const classesIn = (names: string): number =>
  CLASS_NAMES.reduce((bits, [name, bit]) => (names.includes(name) ? bits | bit : bits), 0);

const BOX_IDS = ["column-item-video-container-", "grid-item-container-"];
const FEED_BOX_ID = "one-column-item-";
const PLAYER_ID = "xgwrapper-";
const PLAYER_ID_MAX = 64;

interface Capture {
  depth: number;
  from: number;
  done: (range: Range) => unknown;
}

/** A scanner that knows the open elements, and what the current one's name and classes mean. */
export class PageWalk {
  readonly scanner: TagScanner;
  private readonly elements = new OpenElements();
  private readonly captures: Capture[] = [];
  private readonly classes = new TextCache(classesIn);
  private readonly roles = new TextCache(roleNamed);
  hasContent = false;

  constructor(html: string, from: number, to: number) {
    this.scanner = new TagScanner(html, from, to);
  }

  get depth(): number {
    return this.elements.length;
  }

  get isCapturing(): boolean {
    return this.captures.length > 0;
  }

  open(): number {
    this.hasContent = this.elements.open(this.scanner);
    return this.hasContent ? this.elements.length : this.elements.length + 1;
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
    if (this.hasContent) this.captures.push({ depth: this.elements.length, from: this.scanner.to, done });
    return this.hasContent;
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
    return BOX_IDS.some((id) => this.hasId(id));
  }

  hasFeedBoxId(): boolean {
    return this.hasId(FEED_BOX_ID);
  }

  /** The id of the video that a player shows, from an element id like `xgwrapper-0-7636595543222519143`. */
  playerVideo(): string | null {
    const id = this.rangeOf(ATTRIBUTE.id);
    if (!id || id.to - id.from > PLAYER_ID_MAX || !this.hasId(PLAYER_ID)) return null;
    return /-(\d+)$/.exec(this.scanner.html.slice(id.from, id.to))?.[1] ?? null;
  }

  roleOf(): Role | undefined {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE["data-e2e"]);
    return from < 0 ? undefined : this.roles.get(scanner.html, from, scanner.endOf(ATTRIBUTE["data-e2e"]));
  }

  isId(id: string): boolean {
    const { scanner } = this;
    return scanner.endOf(ATTRIBUTE.id) - scanner.startOf(ATTRIBUTE.id) === id.length && this.hasId(id);
  }

  private hasId(start: string): boolean {
    const { scanner } = this;
    const from = scanner.startOf(ATTRIBUTE.id);
    return from >= 0 && scanner.html.startsWith(start, from);
  }
}
