import { type Range, ROLES, type Role } from "./cards.ts";
import { KnownTexts } from "./known-texts.ts";
import { OpenElements } from "./open-elements.ts";
import { ATTRIBUTE, type Attribute, TagScanner } from "./scan-tags.ts";

/** Parts of class names. The hash before them changes with each build of the site, they do not. */
const CLASSES = ["DivItemContainer", "DivItemContainerForSearch", "DivTimeTag", "StrongVideoCount", "StyledPlay"];
/** The same as bits, as they are asked for with each tag. */
export const CLASS = { box: 1, searchBox: 2, time: 4, count: 8, play: 16 } as const;

const BOX_IDS = ["column-item-video-container-", "grid-item-container-"];

const classesIn = (names: string): number =>
  CLASSES.reduce((bits, name, index) => (names.includes(name) ? bits | (1 << index) : bits), 0);

interface Capture {
  depth: number;
  from: number;
  done: (range: Range) => unknown;
}

/** A pass over the tags of a page that knows what is open, and can tell where an element's inside ends. */
export class PageWalk {
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
