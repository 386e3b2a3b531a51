import "server-only";
import { Parser } from "htmlparser2";
import { MARKUP_LIMITS } from "./constants.ts";
import { imageSourceOf, Microdata } from "./microdata.ts";

/** What a page's markup says, unchecked and untrimmed. */
export interface Markup {
  language: string;
  base: string;
  title: string;
  /** By name or property, in lower case; the first one counts. */
  metas: Map<string, string>;
  canonical: string;
  headings: string[];
  text: string;
  mainText: string;
  images: string[];
  /** Sources of JSON-LD. */
  data: string[];
  /** Items of microdata, in the form of JSON-LD. */
  items: readonly Readonly<Record<string, unknown>>[];
  hasPassword: boolean;
  /** Whether it has scripts or frames of a known bot check. */
  hasRobotCheck: boolean;
}

/** Their content isn't the text of the page. */
const HIDDEN = new Set(
  "script style noscript template svg math nav footer aside iframe object select button textarea dialog".split(" "),
);

/** They don't end a word. Others do, so that numbers of two cells don't become a single one. */
const INLINE = new Set("a abbr b bdi bdo cite code data em font i mark q s small span strong time u wbr".split(" "));

/** An open heading ends before these, even if its closing tag is missing. */
const NOT_IN_HEADINGS = /^(p|ul|ol|dl|table|section|main|article|h\d)$/;

const HEADINGS = new Set(["h1", "h2", "h3"]);

const ROBOT_CHECKS = /challenge-platform|cf-chl|captcha-delivery|px-captcha|_Incapsula_Resource|recaptcha\/api/i;

const METAS_MAX = 200;
const HEADINGS_MAX = 100;
const IMAGES_MAX = 40;
const SMALL_IMAGE_PX = 100;

type Attributes = Record<string, string>;

/** Names of what asks for consent to cookies. Pages about baking have cookies too, also in bars. */
const CONSENT =
  /^(?:(?:cookie|consent|gdpr)s?[-_]?(?:banner|notice|consent|popup|modal|overlay|dialog|law|manager|sdk)(?![a-z])|onetrust|cookiebot|usercentrics|didomi|cmplz-|qc-cmp)/i;
/** Of an element around the page, while it asks. */
const CONSENT_STATE =
  /[-_](?:visible|hidden|shown|open(?:ed)?|closed|active|inactive|accepted|dismissed|ready|loaded|enabled|disabled|on|off)$/i;
const NAMES_CHARS = 300;
const isForConsent = (name: string, attributes: Attributes): boolean =>
  !/^(?:html|body)$/.test(name) &&
  `${attributes.id ?? ""} ${attributes.class ?? ""}`
    .slice(0, NAMES_CHARS)
    .split(/\s+/)
    .some((token) => CONSENT.test(token) && !CONSENT_STATE.test(token));

const isHidden = (name: string, attributes: Attributes): boolean =>
  HIDDEN.has(name) ||
  attributes.hidden !== undefined ||
  attributes["aria-hidden"] === "true" ||
  /^(navigation|contentinfo|banner|dialog|search)$/.test(attributes.role ?? "");

const isMain = (name: string, attributes: Attributes): boolean =>
  name === "main" || name === "article" || attributes.role === "main";

/** What asks for consent has none of these in it. */
const isContent = (name: string, attributes: Attributes): boolean => name === "h1" || isMain(name, attributes);

const isSmall = ({ width = "", height = "" }: Attributes): boolean =>
  [width, height].some((side) => /^\d+(px)?$/.test(side) && Number.parseInt(side, 10) < SMALL_IMAGE_PX);

/** Collects text up to a limit. Spaces in a row count once, or indentation and empty elements would use it up. */
class VisibleText {
  value = "";
  private endsInSpace = true;

  /** @param text with at most one space between two words, and no other white space */
  add(text: string): void {
    const next = this.endsInSpace && text.startsWith(" ") ? text.slice(1) : text;
    if (next === "") return;
    this.value += next.slice(0, MARKUP_LIMITS.text - this.value.length);
    this.endsInSpace = next.endsWith(" ");
  }
}

/** Collects while the parser reads, within bounds. Depths are those of the elements where something began. */
class Collector {
  private readonly microdata = new Microdata();
  private readonly markup: Markup = {
    ...{ language: "", base: "", title: "", canonical: "", text: "", mainText: "", items: this.microdata.items },
    ...{ metas: new Map(), headings: [], images: [], data: [], hasPassword: false, hasRobotCheck: false },
  };
  private depth = 0;
  private hiddenAt = 0;
  private consentAt = 0;
  private mainAt = 0;
  private headingAt = 0;
  private heading = new VisibleText();
  private readonly text = new VisibleText();
  private readonly mainText = new VisibleText();
  private isTitle = false;
  private source: string | null = null;
  private dataChars = 0;

  open(name: string, attributes: Attributes): void {
    this.depth += 1;
    this.readElement(name, attributes);
    if (this.hiddenAt === 0 && isContent(name, attributes)) this.consentAt = 0;
    this.microdata.open(name, attributes, { depth: this.depth, isHidden: this.isInHidden });
    if (this.hiddenAt === 0) this.hide(name, attributes);
    if (this.isInHidden) return;
    if (!INLINE.has(name)) this.addBreak();
    this.isTitle = name === "title" && this.markup.title === "";
    if (this.headingAt > 0 && NOT_IN_HEADINGS.test(name)) this.endHeading();
    if (this.mainAt === 0 && isMain(name, attributes)) this.mainAt = this.depth;
    if (this.headingAt === 0 && HEADINGS.has(name)) this.headingAt = this.depth;
    if (name === "img") this.addImage(attributes);
  }

  private get isInHidden(): boolean {
    return this.hiddenAt > 0 || this.consentAt > 0;
  }

  private hide(name: string, attributes: Attributes): void {
    if (isHidden(name, attributes)) this.hiddenAt = this.depth;
    else if (this.consentAt === 0 && !isContent(name, attributes) && isForConsent(name, attributes))
      this.consentAt = this.depth;
  }

  /** What counts wherever it is. */
  private readElement(name: string, attributes: Attributes): void {
    const { markup } = this;
    if (name === "meta") this.addMeta(attributes);
    else if (name === "html") markup.language ||= attributes.lang ?? attributes["xml:lang"] ?? "";
    else if (name === "base") markup.base ||= attributes.href ?? "";
    else if (name === "link" && /^canonical$/i.test(attributes.rel ?? "")) markup.canonical ||= attributes.href ?? "";
    else if (name === "input" && /^password$/i.test(attributes.type ?? "")) markup.hasPassword = true;
    else if (name === "script" && /^application\/ld\+json\b/i.test(attributes.type ?? "")) this.source = "";
    if (ROBOT_CHECKS.test(`${attributes.src ?? ""} ${attributes.id ?? ""}`.slice(0, 500))) markup.hasRobotCheck = true;
  }

  private addMeta({ name, property, content }: Attributes): void {
    const key = (property ?? name ?? "").toLowerCase().slice(0, 60);
    const { metas } = this.markup;
    if (key !== "" && content && metas.size < METAS_MAX && !metas.has(key)) metas.set(key, content);
  }

  private addImage(attributes: Attributes): void {
    const source = imageSourceOf(attributes);
    if (this.markup.images.length < IMAGES_MAX && source !== "" && !isSmall(attributes)) {
      this.markup.images.push(source);
    }
  }

  addText(text: string): void {
    if (this.source !== null) this.addData(text);
    if (this.isInHidden) return;
    this.microdata.addText(text);
    this.addVisible(text);
  }

  private addBreak(): void {
    this.microdata.addBreak();
    this.addVisible(" ");
  }

  private addVisible(raw: string): void {
    const { markup } = this;
    const text = raw.replace(/[\s\p{Cc}]+/gu, " ");
    if (this.isTitle) markup.title += text.slice(0, MARKUP_LIMITS.text - markup.title.length);
    else {
      if (this.headingAt > 0) this.heading.add(text);
      if (this.mainAt > 0) this.mainText.add(text);
      this.text.add(text);
    }
  }

  private addData(text: string): void {
    this.dataChars += text.length;
    // A part of a document can't be read, so a document that is too long is dropped.
    this.source = this.dataChars > MARKUP_LIMITS.data ? null : (this.source ?? "") + text;
  }

  close(name: string): void {
    if (this.source !== null && name === "script") {
      this.markup.data.push(this.source);
      this.source = null;
    }
    this.isTitle = false;
    if (!this.isInHidden && !INLINE.has(name)) this.addBreak();
    this.microdata.close(this.depth);
    if (this.headingAt === this.depth) this.endHeading();
    if (this.mainAt === this.depth) this.mainAt = 0;
    if (this.hiddenAt === this.depth) this.hiddenAt = 0;
    if (this.consentAt === this.depth) this.consentAt = 0;
    this.depth = Math.max(0, this.depth - 1);
  }

  end(): Markup {
    return { ...this.markup, text: this.text.value, mainText: this.mainText.value };
  }

  private endHeading(): void {
    if (this.markup.headings.length < HEADINGS_MAX) this.markup.headings.push(this.heading.value);
    this.heading = new VisibleText();
    this.headingAt = 0;
  }
}

interface Handler {
  onopentag: (name: string, attributes: Attributes) => void;
  ontext?: (text: string) => void;
  onclosetag?: (name: string) => void;
}

/** Parses in one pass of linear time, whatever the text is. What is beyond the limits is left out. Never throws. */
export const parseHtml = (html: string, handler: Handler): void => {
  let [tags, depth] = [0, 0];
  const isFull = () => tags > MARKUP_LIMITS.tags || depth > MARKUP_LIMITS.depth;
  const parser = new Parser({
    ...handler,
    onopentag: (name, attributes) => {
      tags += 1;
      depth += 1;
      handler.onopentag(name, attributes);
    },
    onclosetag: (name) => {
      depth = Math.max(0, depth - 1);
      handler.onclosetag?.(name);
    },
  });
  const end = Math.min(html.length, MARKUP_LIMITS.chars);
  for (let at = 0; at < end && !isFull(); at += MARKUP_LIMITS.chunk) {
    parser.write(html.slice(at, at + MARKUP_LIMITS.chunk));
  }
  if (!isFull()) parser.end();
};

/** What is beyond the limits of `parseHtml` is left out. Never throws. */
export const readMarkup = (html: string): Markup => {
  const collector = new Collector();
  parseHtml(html, {
    onopentag: (name, attributes) => collector.open(name, attributes),
    ontext: (text) => collector.addText(text),
    onclosetag: (name) => collector.close(name),
  });
  return collector.end();
};

export const textOfFragment = (fragment: string): string => {
  if (!/[<&]/.test(fragment)) return fragment;
  let text = "";
  const parser = new Parser({
    ontext: (part) => {
      text += part;
    },
    onclosetag: (name) => {
      if (!INLINE.has(name)) text += " ";
    },
  });
  parser.end(fragment);
  return text;
};
