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
/** Candidates by first letter and length, from 1, so that most attributes are skipped without a comparison. */
const CANDIDATES = new Uint8Array(128 * (LONGEST + 1));
NAMES.forEach((name, index) => {
  CANDIDATES[name.charCodeAt(0) * (LONGEST + 1) + name.length] = index + 1;
});

/** Names are hashed because they are compared millions of times. */
export const codeOf = (name: string): number => {
  let code = 0;
  for (let at = 0; at < name.length; at += 1) code = (code * 31 + (name.charCodeAt(at) | 32)) | 0;
  return code;
};

const CODES = Int32Array.from(NAMES, codeOf);

const RAW_TEXT = ["script", "style", "textarea", "title", "noscript", "iframe", "xmp", "noembed", "noframes"];
const RAW_ENDS = new Map(RAW_TEXT.map((name) => [codeOf(name), new RegExp(`</${name}(?=[\\s/>])`, "iy")]));

/** Inside these, "/>" closes any element. */
const FOREIGN = new Set(["svg", "math"].map(codeOf));

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;
const NOWHERE = 2 ** 30 - 1;
const isSpace = (code: number): boolean => code <= 32 && (code === 32 || (code >= 9 && code <= 13));
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** A longer value is treated as an unclosed quote. */
const VALUE_LENGTH_MAX = 4 * 1_024 * 1_024;

/** As browsers do, skips comments, scripts and styles. It never goes back, so its time is linear. */
export class TagScanner {
  readonly html: string;
  readonly end: number;
  code = 0;
  from = 0;
  to = 0;
  isClosing = false;
  isSelfClosing = false;
  /** Where the raw text of a script, style or title ends; otherwise the same as `to`. */
  textTo = 0;
  private found = 0;
  private readonly starts = new Int32Array(NAMES.length);
  private readonly ends = new Int32Array(NAMES.length);
  private openForeign = 0;
  private nextDouble = -1;
  private nextSingle = -1;

  constructor(html: string, from = 0, end = html.length) {
    this.html = html;
    this.to = from;
    this.textTo = from;
    this.end = end;
  }

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

  /** The raw value of an attribute, not decoded; null when missing. */
  raw(attribute: Attribute): string | null {
    return this.found & (1 << attribute) ? this.html.slice(this.starts[attribute], this.ends[attribute]) : null;
  }

  startOf(attribute: Attribute): number {
    return this.found & (1 << attribute) ? (this.starts[attribute] ?? -1) : -1;
  }

  endOf(attribute: Attribute): number {
    return this.found & (1 << attribute) ? (this.ends[attribute] ?? -1) : -1;
  }

  private pastOther(at: number, code: number): number {
    if (code !== 33 && code !== 63 && code !== SLASH) return at + 1;
    const isComment = this.html.startsWith("<!--", at);
    const close = this.html.indexOf(isComment ? "-->" : ">", at + 2);
    return close < 0 || close >= this.end ? -1 : close + 1;
  }

  private readName(at: number): number {
    const { html, end } = this;
    let code = 0;
    let position = at;
    for (; position < end; position += 1) {
      const letter = html.charCodeAt(position);
      if (letter <= GREATER && (letter === GREATER || letter === SLASH || isSpace(letter))) break;
      code = (code * 31 + (letter | 32)) | 0;
    }
    this.code = code;
    return position;
  }

  private readClosing(at: number): boolean {
    this.from = at;
    this.isClosing = true;
    this.isSelfClosing = false;
    const nameEnd = this.readName(at + 2);
    const close = this.html.charCodeAt(nameEnd) === GREATER ? nameEnd : this.html.indexOf(">", nameEnd);
    if (close < 0 || close >= this.end) return false;
    if (this.openForeign > 0 && FOREIGN.has(this.code)) this.openForeign -= 1;
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
    if (!rawEnd) this.openForeign += Number(!this.isSelfClosing && FOREIGN.has(this.code));
    else if (!this.isSelfClosing || this.openForeign === 0) this.textTo = this.endOfRawText(rawEnd, close);
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

  /** -1 when the text ends before the tag does. */
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
    // As in browsers, the first character always belongs to the name.
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
      // An unclosed value is dropped, and reading continues after the opening quote.
      if (close < 0 || close >= this.end || close - from > VALUE_LENGTH_MAX) return from + 1;
      this.record(attribute, from + 1, close);
      return close + 1;
    }
    let at = from;
    for (; at < this.end; at += 1) {
      const code = this.html.charCodeAt(at);
      if (code === GREATER || isSpace(code)) break;
    }
    this.record(attribute, from, at);
    return at;
  }

  /** Caches the last quote found, so that a missing one is searched for only once. */
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

  /** As in browsers, the first of two attributes with the same name wins. */
  private record(attribute: number, from: number, to: number): void {
    if (attribute < 0 || this.found & (1 << attribute)) return;
    this.found |= 1 << attribute;
    this.starts[attribute] = from;
    this.ends[attribute] = to;
  }
}

/** One pass; a regular expression would search for the end of each comment again. */
export const withoutComments = (html: string): string => {
  let clean = "";
  let from = 0;
  for (let at = html.indexOf("<!--"); at >= 0; at = html.indexOf("<!--", from)) {
    clean += html.slice(from, at);
    const end = html.indexOf("-->", at + 2);
    if (end < 0) return clean;
    from = end + 3;
  }
  return clean + html.slice(from);
};

const codes = (names: string): Set<number> => new Set(names.split(" ").map(codeOf));

const VOID = codes("area base br col embed hr img input link meta param source track wbr");
/** Elements that "/>" does not close, unlike SVG elements. */
const CONTAINERS = codes(
  "div span a p b i u em strong small h1 h2 h3 h4 h5 h6 ul ol li table tr td th section article main header footer nav button label form picture video script style title html body head",
);

/** How far up a closing tag looks for its element; beyond that it is treated as stray. */
const LOOKBACK_MAX = 32;

export class OpenElements {
  /** Only the first `length` entries are open. */
  private readonly stack: number[] = [];
  length = 0;

  /** Returns false for an element without content. */
  open({ code, isSelfClosing }: Pick<TagScanner, "code" | "isSelfClosing">): boolean {
    if (VOID.has(code) || (isSelfClosing && !CONTAINERS.has(code))) return false;
    this.stack[this.length] = code;
    this.length += 1;
    return true;
  }

  /** Closes the nearest such element and everything inside it; ignores a stray tag. */
  close(code: number): void {
    const { stack } = this;
    const last = this.length - 1;
    for (let position = last; position >= 0 && position > last - LOOKBACK_MAX; position -= 1) {
      if (stack[position] === code) {
        this.length = position;
        return;
      }
    }
  }
}

const SLOTS = 1_024;
const LENGTH_MAX = 200;

/** Pages repeat a few names thousands of times. Hits are compared in place, without copying. */
export class TextCache<Meaning> {
  private readonly texts: string[] = new Array<string>(SLOTS).fill("");
  private readonly meanings: Meaning[];
  private readonly read: (text: string) => Meaning;

  constructor(read: (text: string) => Meaning) {
    this.read = read;
    this.meanings = new Array<Meaning>(SLOTS).fill(read(""));
  }

  get(html: string, from: number, to: number): Meaning {
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
