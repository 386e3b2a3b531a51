import { ADDRESS_MAX, HASHTAG_MAX, HASHTAGS_MAX } from "./limits.ts";
import { decode, detach } from "./text.ts";

const IN_TEXT = /[#＃]([\p{L}\p{N}\p{M}_]+)/gu;
const WHOLE = /^[#＃]?([\p{L}\p{N}\p{M}_]+)$/u;
/** The same for most tags, and much faster. */
const WHOLE_ASCII = /^#?[\w]+$/;
const LINK = /\/tag\/([^/?#]+)/;

/** Hashtags of one video in order of first sight: the first way of writing stays, whatever the case. */
export class Hashtags {
  private readonly names: string[] = [];
  private readonly keys: string[] = [];
  /** All ways of writing; few enough that looking through them costs less than a set. */
  private readonly taken: string[] = [];

  /** Takes a tag with or without "#"; false when it is none. */
  add(text: string | null | undefined): boolean {
    if (!text) return false;
    if (this.taken.includes(text)) return true;
    const trimmed = text.trim();
    const tag = WHOLE_ASCII.test(trimmed) ? trimmed.slice(trimmed.startsWith("#") ? 1 : 0) : WHOLE.exec(trimmed)?.[1];
    if (tag === undefined) return false;
    this.keep(tag);
    return true;
  }

  /** Takes a tag of another such list: only one that was cut may be none any more. */
  addKnown(tag: string): void {
    if (tag.length < HASHTAG_MAX) this.keep(tag);
    else this.add(tag);
  }

  /** A tag link: by its text, or by its address when the text is no tag. */
  addLink(text: string | null, href: string | null): void {
    if (this.add(text)) return;
    this.add(tagOfLink(href));
  }

  addFrom(caption: string | null): void {
    if (!caption) return;
    IN_TEXT.lastIndex = 0;
    for (let found = IN_TEXT.exec(caption); found; found = IN_TEXT.exec(caption)) this.keep(found[1] ?? "");
  }

  list(): string[] {
    return this.names;
  }

  private keep(tag: string): void {
    if (this.taken.length >= HASHTAGS_MAX || this.taken.includes(tag)) return;
    const name = detach(tag.length > HASHTAG_MAX ? tag.slice(0, HASHTAG_MAX).toWellFormed() : tag);
    this.taken.push(name);
    const key = name.toLowerCase();
    if (this.keys.includes(key)) return;
    this.keys.push(key);
    this.names.push(name);
  }
}

const tagOfLink = (href: string | null): string | null => {
  const found = href && href.length <= ADDRESS_MAX ? LINK.exec(decode(href))?.[1] : undefined;
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    // A stray percent sign: the address is then as good as its letters.
    return found;
  }
};
