/** Attributes that anything is read from, by the numbers under which their places are kept: a number costs no lookup. */
export const ATTRIBUTE = {
  "data-e2e": 0,
  class: 1,
  id: 2,
  href: 3,
  src: 4,
  alt: 5,
  title: 6,
  d: 7,
  rel: 8,
  content: 9,
  property: 10,
} as const;
export type Attribute = (typeof ATTRIBUTE)[keyof typeof ATTRIBUTE];

const NAMES = Object.keys(ATTRIBUTE);

const LONGEST = 15;
/** By first letter and length: which attribute it may be, from 1, so that most are passed by without a comparison. */
const CANDIDATES = new Uint8Array(128 * (LONGEST + 1));
NAMES.forEach((name, index) => {
  CANDIDATES[name.charCodeAt(0) * (LONGEST + 1) + name.length] = index + 1;
});

/** A tag's name as a number: names are compared millions of times. */
export const codeOf = (name: string): number => {
  let code = 0;
  for (let at = 0; at < name.length; at += 1) code = (code * 31 + (name.charCodeAt(at) | 32)) | 0;
  return code;
};

const CODES = Int32Array.from(NAMES, codeOf);

const RAW_TEXT = ["script", "style", "textarea", "title", "noscript", "iframe", "xmp", "noembed", "noframes"];
const RAW_ENDS = new Map(RAW_TEXT.map((name) => [codeOf(name), new RegExp(`</${name}(?=[\\s/>])`, "iy")]));

/** In these a slash at the end of a tag closes it, whatever the tag. */
const DRAWINGS = new Set(["svg", "math"].map(codeOf));

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;
/** Beyond every text. */
const NOWHERE = 2 ** 30 - 1;
const isSpace = (code: number): boolean => code <= 32 && (code === 32 || (code >= 9 && code <= 13));
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** A value whose quote is not closed within so many characters was never meant to be one. */
const VALUE_LENGTH_MAX = 4 * 1_024 * 1_024;

/**
 * Walks over the tags of a page from front to back, as a browser splits markup: comments, scripts and styles are
 * jumped over, quoted values may hold anything. It never goes back, so its time is linear whatever the text.
 */
export class TagScanner {
  readonly html: string;
  readonly end: number;
  /** Of the present tag: its name, and where it begins and what follows it begins. */
  code = 0;
  from = 0;
  to = 0;
  isClosing = false;
  isSelfClosing = false;
  /** Of a script, style, title and the like: where its text ends. Else where the tag ends. */
  textTo = 0;
  /** One bit for each attribute of the present tag. */
  private found = 0;
  private readonly starts = new Int32Array(NAMES.length);
  private readonly ends = new Int32Array(NAMES.length);
  private openDrawings = 0;
  private nextDouble = -1;
  private nextSingle = -1;

  constructor(html: string, from = 0, end = html.length) {
    this.html = html;
    this.to = from;
    this.textTo = from;
    this.end = end;
  }

  /** Goes to the next tag; false when there is none. */
  next(): boolean {
    let at = this.textTo;
    for (;;) {
      if (this.html.charCodeAt(at) !== LESS) at = this.html.indexOf("<", at);
      if (at < 0 || at + 1 >= this.end) return false;
      const code = this.html.charCodeAt(at + 1);
      if (isLetter(code)) return this.readOpening(at);
      if (code === SLASH && isLetter(this.html.charCodeAt(at + 2))) return this.readClosing(at);
      at = this.pastOther(at, code);
      if (at < 0) return false;
    }
  }

  /** The value of an attribute as written, character references and all; null when the tag has none. */
  raw(attribute: Attribute): string | null {
    return this.found & (1 << attribute) ? this.html.slice(this.starts[attribute], this.ends[attribute]) : null;
  }

  /** Where the value of an attribute begins; -1 when the tag has none. */
  startOf(attribute: Attribute): number {
    return this.found & (1 << attribute) ? (this.starts[attribute] ?? -1) : -1;
  }

  endOf(attribute: Attribute): number {
    return this.found & (1 << attribute) ? (this.ends[attribute] ?? -1) : -1;
  }

  /** Past a comment, a declaration, or a "<" that begins nothing. */
  private pastOther(at: number, code: number): number {
    if (code !== 33 && code !== 63 && code !== SLASH) return at + 1;
    const isComment = this.html.startsWith("<!--", at);
    const close = this.html.indexOf(isComment ? "-->" : ">", at + 2);
    return close < 0 || close >= this.end ? -1 : close + 1;
  }

  private readName(at: number): number {
    const { html, end } = this;
    let code = 0;
    let place = at;
    for (; place < end; place += 1) {
      const letter = html.charCodeAt(place);
      if (letter <= GREATER && (letter === GREATER || letter === SLASH || isSpace(letter))) break;
      code = (code * 31 + (letter | 32)) | 0;
    }
    this.code = code;
    return place;
  }

  private readClosing(at: number): boolean {
    this.from = at;
    this.isClosing = true;
    this.isSelfClosing = false;
    const nameEnd = this.readName(at + 2);
    const close = this.html.charCodeAt(nameEnd) === GREATER ? nameEnd : this.html.indexOf(">", nameEnd);
    if (close < 0 || close >= this.end) return false;
    if (this.openDrawings > 0 && DRAWINGS.has(this.code)) this.openDrawings -= 1;
    this.to = close + 1;
    this.textTo = this.to;
    return true;
  }

  private readOpening(at: number): boolean {
    this.from = at;
    this.isClosing = false;
    this.isSelfClosing = false;
    this.found = 0;
    const close = this.readAttributes(this.readName(at + 1));
    if (close < 0) return false;
    this.to = close;
    this.textTo = close;
    const rawEnd = RAW_ENDS.get(this.code);
    if (!rawEnd) this.openDrawings += Number(!this.isSelfClosing && DRAWINGS.has(this.code));
    else if (!this.isSelfClosing || this.openDrawings === 0) this.textTo = this.endOfRawText(rawEnd, close);
    return true;
  }

  private endOfRawText(pattern: RegExp, from: number): number {
    const { html, end } = this;
    for (let at = html.indexOf("</", from); at >= 0 && at < end; at = html.indexOf("</", at + 2)) {
      pattern.lastIndex = at;
      if (pattern.test(html)) return at;
    }
    return end;
  }

  /** Reads to the end of the tag, and answers what follows it; -1 when the text ends before. */
  private readAttributes(from: number): number {
    const { html, end } = this;
    let at = from;
    while (at < end) {
      const code = html.charCodeAt(at);
      if (code === GREATER) return at + 1;
      if (code === SLASH) this.isSelfClosing = html.charCodeAt(at + 1) === GREATER;
      if (code === SLASH || isSpace(code)) at += 1;
      else at = this.readAttribute(at);
    }
    return -1;
  }

  private readAttribute(from: number): number {
    const { html, end } = this;
    // The first character belongs to the name, whatever it is.
    let name = html.charCodeAt(from) | 32;
    let at = from + 1;
    for (; at < end; at += 1) {
      const code = html.charCodeAt(at);
      if (code <= GREATER && (code === EQUALS || code === GREATER || code === SLASH || isSpace(code))) break;
      name = (name * 31 + (code | 32)) | 0;
    }
    const number = at - from > LONGEST ? 0 : (CANDIDATES[html.charCodeAt(from) * (LONGEST + 1) + at - from] ?? 0);
    const attribute = number > 0 && CODES[number - 1] === name ? number - 1 : -1;
    while (at < end && isSpace(html.charCodeAt(at))) at += 1;
    if (html.charCodeAt(at) !== EQUALS) return at;
    at += 1;
    while (at < end && isSpace(html.charCodeAt(at))) at += 1;
    return this.readValue(attribute, at);
  }

  private readValue(attribute: number, from: number): number {
    const quote = this.html.charCodeAt(from);
    if (quote === 34 || quote === 39) {
      const close = this.nextQuote(quote, from + 1);
      // Without its closing quote the value is dropped, and reading goes on behind the opening one.
      if (close < 0 || close >= this.end || close - from > VALUE_LENGTH_MAX) return from + 1;
      this.keep(attribute, from + 1, close);
      return close + 1;
    }
    let at = from;
    for (; at < this.end; at += 1) {
      const code = this.html.charCodeAt(at);
      if (code === GREATER || isSpace(code)) break;
    }
    this.keep(attribute, from, at);
    return at;
  }

  /** Remembers the quote found last: a missing one is looked for once, not once for each tag. */
  private nextQuote(quote: number, from: number): number {
    const isDouble = quote === 34;
    const known = isDouble ? this.nextDouble : this.nextSingle;
    if (known >= from) return known;
    const found = this.html.indexOf(isDouble ? '"' : "'", from);
    const next = found < 0 ? NOWHERE : found;
    if (isDouble) this.nextDouble = next;
    else this.nextSingle = next;
    return next;
  }

  /** The first of two attributes of one name counts, as in a browser. */
  private keep(attribute: number, from: number, to: number): void {
    if (attribute < 0 || this.found & (1 << attribute)) return;
    this.found |= 1 << attribute;
    this.starts[attribute] = from;
    this.ends[attribute] = to;
  }
}

const codes = (names: string): Set<number> => new Set(names.split(" ").map(codeOf));

const VOID = codes("area base br col embed hr img input link meta param source track wbr");
/** Elements that a slash at the end does not close; those of drawings it does. */
const CONTAINERS = codes(
  "div span a p b i u em strong small h1 h2 h3 h4 h5 h6 ul ol li table tr td th section article main header footer nav button label form picture video script style title html body head",
);

/** So far up an element is looked for that a closing tag may mean; farther up the tag is taken for a stray one. */
const REACH = 32;

/** The elements that are open at a place of the page, as far as closing tags tell. */
export class OpenElements {
  /** Of these, the first `length` are open. */
  private readonly stack: number[] = [];
  length = 0;

  /** Takes an opening tag; false for an element that has no inside. */
  open({ code, isSelfClosing }: Pick<TagScanner, "code" | "isSelfClosing">): boolean {
    if (VOID.has(code) || (isSelfClosing && !CONTAINERS.has(code))) return false;
    this.stack[this.length] = code;
    this.length += 1;
    return true;
  }

  /** Takes a closing tag: closes the nearest such element with all that is open within; ignores a stray one. */
  close(code: number): void {
    const { stack } = this;
    const last = this.length - 1;
    for (let place = last; place >= 0 && place > last - REACH; place -= 1) {
      if (stack[place] === code) {
        this.length = place;
        return;
      }
    }
  }
}

const SLOTS = 1_024;
/** Longer texts hardly come twice. */
const LENGTH_MAX = 200;

/**
 * What short parts of a page mean, remembered: a page repeats a few names thousands of times. A part that was met
 * before is compared where it stands, without a copy of it.
 */
export class KnownTexts<Meaning> {
  private readonly texts: string[] = new Array<string>(SLOTS).fill("");
  private readonly meanings: Meaning[];
  private readonly read: (text: string) => Meaning;

  constructor(read: (text: string) => Meaning) {
    this.read = read;
    this.meanings = new Array<Meaning>(SLOTS).fill(read(""));
  }

  /** What the part of `html` from one place to another means. */
  meaningOf(html: string, from: number, to: number): Meaning {
    const length = to - from;
    if (length > LENGTH_MAX) return this.read(html.slice(from, to));
    const middle = html.charCodeAt(from + (length >> 1));
    const start = html.charCodeAt(from + 5) * 127 + html.charCodeAt(from + 6) * 3;
    const slot = (length * 7 + middle * 31 + html.charCodeAt(to - 2) * 13 + start) & (SLOTS - 1);
    const known = this.texts[slot] ?? "";
    if (known.length !== length || !html.startsWith(known, from)) {
      const text = html.slice(from, to);
      this.texts[slot] = text;
      this.meanings[slot] = this.read(text);
    }
    return this.meanings[slot] as Meaning;
  }
}
