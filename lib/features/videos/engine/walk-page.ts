import type { Range } from "./cards.ts";
import { OpenElements } from "./open-elements.ts";
import { type AttributeName, TagScanner } from "./scan-tags.ts";

/** Parts of class names. The hash before them changes with each build of the site, they do not. */
const CLASSES = [
  "DivItemContainer",
  "DivItemContainerForSearch",
  "DivTimeTag",
  "StrongVideoCount",
  "StyledPlay",
] as const;
/** The same by number, as they are asked for with each tag. */
export const CLASS = { box: 0, searchBox: 1, time: 2, count: 3, play: 4 } as const;
const NOWHERE = 2 ** 30 - 1;

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
  private readonly nextOf: number[] = CLASSES.map(() => -1);
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
  rangeOf(name: AttributeName): Range | null {
    const from = this.scanner.startOf(name);
    const to = this.scanner.endOf(name);
    return from >= 0 && to > from ? { from, to } : null;
  }

  /** Whether a class of the present tag has this part. Each part is searched for once over the whole page. */
  hasClass(number: (typeof CLASS)[keyof typeof CLASS]): boolean {
    const from = this.scanner.startOf("class");
    if (from < 0) return false;
    const name = CLASSES[number];
    let next = this.nextOf[number] ?? -1;
    if (next < from) {
      const found = this.scanner.html.indexOf(name, from);
      next = found < 0 ? NOWHERE : found;
      this.nextOf[number] = next;
    }
    return next + name.length <= this.scanner.endOf("class");
  }
}
