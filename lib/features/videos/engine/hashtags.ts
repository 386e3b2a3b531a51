import { ADDRESS_MAX, HASHTAG_MAX, HASHTAGS_MAX } from "./limits.ts";
import { decode, detach } from "./text.ts";

const IN_TEXT = /[#＃]([\p{L}\p{N}\p{M}_]+)/gu;
const WHOLE = /^[#＃]?([\p{L}\p{N}\p{M}_]+)$/u;
const LINK = /\/tag\/([^/?#]+)/;

/** Hashtags of one video in order of first sight: the first way of writing stays, whatever the case. */
export class Hashtags {
  private readonly seen = new Map<string, string>();
  private readonly taken = new Set<string>();

  /** Takes a tag with or without "#"; false when it is none. */
  add(text: string | null | undefined): boolean {
    if (!text) return false;
    if (this.taken.has(text)) return true;
    const tag = WHOLE.exec(text.trim())?.[1];
    if (tag === undefined) return false;
    this.keep(tag);
    return true;
  }

  /** A tag link: by its text, or by its address when the text is no tag. */
  addLink(text: string | null, href: string | null): void {
    if (this.add(text)) return;
    this.add(tagOfLink(href));
  }

  addFrom(caption: string | null): void {
    if (!caption || !(caption.includes("#") || caption.includes("＃"))) return;
    for (const [, tag = ""] of caption.matchAll(IN_TEXT)) this.keep(tag);
  }

  list(): string[] {
    return [...this.seen.values()];
  }

  private keep(tag: string): void {
    if (this.taken.has(tag) || this.taken.size >= HASHTAGS_MAX) return;
    const name = detach(tag.length > HASHTAG_MAX ? tag.slice(0, HASHTAG_MAX).toWellFormed() : tag);
    this.taken.add(name);
    const key = name.toLowerCase();
    if (!this.seen.has(key)) this.seen.set(key, name);
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
