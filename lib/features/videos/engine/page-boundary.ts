import { ATTRIBUTE, codeOf } from "./html.ts";
import type { PageWalk } from "./page-walk.ts";

const HTML = codeOf("html");
const BODY = codeOf("body");
const APP = "app";
/** A response, or a page that was escaped. */
const OTHER_START = /[\s,;]*(?:[{[]|&lt;(?:!doctype|html)\b)/iy;
/** Behind a fragment, a text may begin with a bracket too. */
const OBJECT_START = /[\s,;]*(?:\[\s{0,99}){0,9}\{\s*"/y;
const NEXT_PAGE = /<!doctype|<!-- saved from/i;

/** Tells where another page or an API response begins in the same text. */
export class PageBoundary {
  private readonly walk: PageWalk;
  /** Whether the page has ended. What follows belongs to another page, even if this one is empty. */
  hasEnded = false;
  private hasBody = false;
  private hasApp = false;

  constructor(walk: PageWalk) {
    this.walk = walk;
  }

  /** Whether the current tag is one that a page has once, and comes again. */
  isAtPage(): boolean {
    const { scanner } = this.walk;
    if (scanner.isClosing) {
      this.hasEnded ||= scanner.code === HTML;
      return false;
    }
    const isBody = scanner.code === BODY;
    const isApp = scanner.startOf(ATTRIBUTE.id) >= 0 && this.walk.isId(APP);
    const isNext = scanner.code === HTML || (isBody && this.hasBody) || (isApp && this.hasApp);
    this.hasBody ||= isBody;
    this.hasApp ||= isApp;
    return isNext;
  }

  /** Where the page of the current tag begins, after the tag before. */
  startOfNext(before: number): number {
    const { html, from } = this.walk.scanner;
    const start = html.slice(before, from).search(NEXT_PAGE);
    return start < 0 ? from : before + start;
  }

  /** Whether a page or a fragment ends with the current tag, and what follows is not HTML. */
  isBeforeOther(): boolean {
    const { scanner, depth } = this.walk;
    if (!scanner.isClosing || (scanner.code !== HTML && depth > 0)) return false;
    const start = scanner.code === HTML ? OTHER_START : OBJECT_START;
    start.lastIndex = scanner.to;
    return start.test(scanner.html);
  }
}
