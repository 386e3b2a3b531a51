import { ATTRIBUTE, codeOf } from "./html.ts";
import type { PageWalk } from "./page-walk.ts";

const HTML = codeOf("html");
const BODY = codeOf("body");
const APP = "app";
const JSON_START = /[\s,;]*[{[]/y;

/** Tells where another page or an API response begins in the same text. */
export class PageBoundary {
  private readonly walk: PageWalk;
  private hasBody = false;
  private hasApp = false;

  constructor(walk: PageWalk) {
    this.walk = walk;
  }

  /** Whether the current tag is one that a page has once, and comes again. */
  isAtPage(): boolean {
    const { scanner } = this.walk;
    if (scanner.isClosing) return false;
    const isBody = scanner.code === BODY;
    const isApp = scanner.startOf(ATTRIBUTE.id) >= 0 && this.walk.isId(APP);
    const isNext = scanner.code === HTML || (isBody && this.hasBody) || (isApp && this.hasApp);
    this.hasBody ||= isBody;
    this.hasApp ||= isApp;
    return isNext;
  }

  /** Whether a page ends with the current tag, and JSON follows. */
  isBeforeJson(): boolean {
    const { scanner } = this.walk;
    if (!scanner.isClosing || scanner.code !== HTML) return false;
    JSON_START.lastIndex = scanner.to;
    return JSON_START.test(scanner.html);
  }
}
