/** What is being done with an open object or array of the text. */
type Place = "other" | "item" | "list" | "module";

/** An object of the text that may be a video. */
export interface JsonItem {
  from: number;
  /** Behind its closing brace; -1 when the text ends before. */
  to: number;
  depth: number;
}

/** Names under which the site keeps one video, or many by id or in a list. */
const PLACES = new Map<string, Place>([
  ["itemStruct", "item"],
  ["item", "item"],
  ["ItemModule", "module"],
  ["itemList", "list"],
  ["item_list", "list"],
  ["items", "list"],
  ["data", "list"],
]);
/** Without any of these in a text there is no video in it, and it need not be looked through. */
const SIGNS = /"(?:itemStruct|ItemModule|itemList|item_list|createTime)"/;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OBJECT = 123;
const ARRAY = 91;
/** The longest of the names above, with its quotes. */
const NAME_MAX = 12;
const NEAR = 12;
const DEPTH_MAX = 10_000;

const isOpening = (code: number): boolean => code === OBJECT || code === ARRAY;
const isClosing = (code: number): boolean => code === 125 || code === 93;

/** Behind the text whose inside begins at `from`; -1 when it does not end before `to`. */
const endOfText = (json: string, from: number, to: number): number => {
  // Most are short names, for which a search costs more than a look at each letter.
  const near = Math.min(to, from + NEAR);
  for (let at = from; at < near; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) break;
  }
  let at = from;
  for (;;) {
    at = json.indexOf('"', at);
    if (at < 0 || at >= to) return -1;
    let before = at - 1;
    while (before >= from && json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
    at += 1;
  }
};

/** Where the object that begins at `from` ends, and how deep it is. */
const readExtent = (json: string, from: number, to: number): JsonItem => {
  let depth = 0;
  let deepest = 0;
  for (let at = from; at < to; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(json, at + 1, to);
      if (end < 0) break;
      at = end - 1;
    } else if (isOpening(code)) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return { from, to: at + 1, depth: deepest };
    }
  }
  return { from, to: -1, depth: deepest };
};

/** What an object or array is for, by its name; the outermost array is a list. */
const placeOf = (name: string, code: number, depth: number): Place => {
  const place = PLACES.get(name) ?? "other";
  if (code === ARRAY) return place === "list" || depth === 0 ? "list" : "other";
  return place === "list" ? "other" : place;
};

/**
 * Finds the videos in the JSON between two places in one pass, without parsing the whole: a text that is cut off or
 * broken somewhere still gives those before, and data that no video is in costs next to nothing.
 */
export class JsonScanner {
  private readonly json: string;
  private readonly to: number;
  private readonly open: Place[] = [];
  private at: number;
  private name = "";

  constructor(json: string, from: number, to: number) {
    const text = json.slice(from, to);
    this.json = json;
    this.to = to;
    this.at = SIGNS.test(text) ? from : to;
  }

  /** The next object that may be a video; null when there is none. */
  next(): JsonItem | null {
    const { json, to } = this;
    while (this.at < to) {
      const code = json.charCodeAt(this.at);
      if (code === QUOTE) this.takeText();
      else if (code === COMMA) this.name = "";
      else if (isOpening(code)) {
        const item = this.takeOpening(code);
        if (item) return item;
      } else if (isClosing(code)) this.open.pop();
      this.at += 1;
    }
    return null;
  }

  /** Goes to the last character of a text, which may be the name of what follows. */
  private takeText(): void {
    const end = endOfText(this.json, this.at + 1, this.to);
    this.name = end > 0 && end - this.at <= NAME_MAX ? this.json.slice(this.at + 1, end - 1) : "";
    this.at = end < 0 ? this.to : end - 1;
  }

  private takeOpening(code: number): JsonItem | null {
    const { open } = this;
    const place = placeOf(this.name, code, open.length);
    const parent = open.at(-1);
    this.name = "";
    if (code === OBJECT && (place === "item" || parent === "list" || parent === "module")) {
      const item = readExtent(this.json, this.at, this.to);
      this.at = item.to < 0 ? this.to : item.to;
      return item;
    }
    if (open.push(place) > DEPTH_MAX) this.at = this.to;
    return null;
  }
}
