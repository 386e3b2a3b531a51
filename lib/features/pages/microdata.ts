import "server-only";
import { MARKUP_LIMITS, MICRODATA_LIMITS } from "./constants.ts";

type Attributes = Readonly<Record<string, string>>;

/** In the form of JSON-LD: `@type`, and properties with one value or a list of values. */
type Item = Record<string, unknown>;

const NAME = /^[a-z]\w{0,40}$/i;
const SOURCES = new Set("img audio video source embed iframe track".split(" "));
/** Links are often marked as names, and then their text is meant and not their URL. */
const URL_NAMES = new Set(["url", "image", "availability"]);

const wordsOf = (value = ""): string[] => value.slice(0, 500).split(/\s+/).filter(Boolean);

const SOURCE_ATTRIBUTES = ["src", "data-src", "data-lazy-src", "srcset", "data-srcset"] as const;
const SET_CHARS = 4_000;

/** URLs have commas too, so the first one of a set ends at a space, or at a comma before it. */
const firstOfSet = (set: string): string =>
  /[^\s,]\S*/.exec(set.slice(0, SET_CHARS))?.[0].replace(/(?<!,),+$/, "") ?? "";

/** Until they are seen, lazy images have a drawing as their source, and their own in an attribute for scripts. */
export const imageSourceOf = (attributes: Attributes): string => {
  const sources = SOURCE_ATTRIBUTES.map((name) => {
    const value = attributes[name]?.trim() ?? "";
    return name.endsWith("srcset") ? firstOfSet(value) : value;
  });
  return sources.find((source) => source !== "" && !/^data:/i.test(source)) ?? "";
};

/** What an attribute says; null when the element's text counts. */
const said = (element: string, attributes: Attributes, names: readonly string[]): string | null => {
  if (attributes.content !== undefined) return attributes.content;
  if (SOURCES.has(element)) return imageSourceOf(attributes);
  if (element === "time") return attributes.datetime ?? null;
  if (element === "data" || element === "meter") return attributes.value ?? null;
  const isUrl = element === "link" || (element === "a" && names.some((name) => URL_NAMES.has(name)));
  return isUrl ? (attributes.href ?? "") : null;
};

/** Collects `itemscope`, `itemtype`, and `itemprop` while a parser reads. Depths are those of their elements. */
export class Microdata {
  /** Those that aren't a property of another one. */
  readonly items: Item[] = [];
  private readonly scopes: { depth: number; item: Item; type: string }[] = [];
  /** How many scopes of each type are open. */
  private readonly openTypes = new Map<string, number>();
  private readonly texts: { depth: number; item: Item; names: string[]; value: string }[] = [];
  private count = 0;
  private chars = 0;

  /** @param isHidden whether it is in a part that isn't content, such as the navigation */
  open(element: string, attributes: Attributes, { depth, isHidden }: { depth: number; isHidden: boolean }): void {
    const { itemprop, itemscope, itemtype } = attributes;
    if (itemprop === undefined && itemscope === undefined) return;
    const owner = this.scopes.at(-1)?.item;
    const names = owner ? wordsOf(itemprop).filter((name) => NAME.test(name)) : [];
    if (itemscope !== undefined) this.openItem(depth, { owner, names, type: itemtype, isHidden });
    else if (owner) this.openValue(depth, { owner, names, value: said(element, attributes, names) });
  }

  private openItem(
    depth: number,
    { owner, names, type, isHidden }: { owner?: Item; names: string[]; type?: string; isHidden: boolean },
  ): void {
    const types = wordsOf(type);
    const item: Item = { "@type": types };
    const key = types.join(" ");
    if (this.count < MICRODATA_LIMITS.values) {
      this.count += 1;
      if (owner && names.length > 0) this.add(owner, names, item);
      // Within an item of its own type, it is a related one.
      else if (!isHidden && !this.openTypes.has(key)) this.items.push(item);
    }
    this.scopes.push({ depth, item, type: key });
    this.openTypes.set(key, (this.openTypes.get(key) ?? 0) + 1);
  }

  private openValue(
    depth: number,
    { owner, names, value }: { owner: Item; names: string[]; value: string | null },
  ): void {
    if (names.length === 0 || this.count >= MICRODATA_LIMITS.values) return;
    this.count += 1;
    if (value !== null) this.add(owner, names, value.slice(0, MARKUP_LIMITS.text));
    else if (this.texts.length < MICRODATA_LIMITS.nested) this.texts.push({ depth, item: owner, names, value: "" });
  }

  private add(item: Item, names: readonly string[], value: unknown): void {
    for (const name of names) {
      if (!Object.hasOwn(item, name)) item[name] = value;
      else if (Array.isArray(item[name])) item[name].push(value);
      else item[name] = [item[name], value];
    }
  }

  /** Line breaks of the source are spaces; those between blocks come from `addBreak`. */
  addText(text: string): void {
    if (this.texts.length > 0) this.append(text.replace(/[\s\p{Cc}]+/gu, " "));
  }

  addBreak(): void {
    this.append("\n");
  }

  private append(text: string): void {
    for (const open of this.texts) {
      const { length } = open.value;
      // Breaks of empty elements would use up the limits.
      const isRepeated = /^\s$/.test(text) && (length === 0 || open.value.endsWith("\n"));
      if (isRepeated) continue;
      open.value += text.slice(0, Math.min(MARKUP_LIMITS.text - length, MARKUP_LIMITS.data - this.chars));
      this.chars += open.value.length - length;
    }
  }

  /** Of any element, also without microdata. */
  close(depth: number): void {
    const text = this.texts.at(-1);
    if (text?.depth === depth) {
      this.texts.pop();
      this.add(text.item, text.names, text.value.trim());
    }
    const scope = this.scopes.at(-1);
    if (scope?.depth !== depth) return;
    this.scopes.pop();
    const left = (this.openTypes.get(scope.type) ?? 1) - 1;
    if (left > 0) this.openTypes.set(scope.type, left);
    else this.openTypes.delete(scope.type);
  }
}
