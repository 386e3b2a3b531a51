import { type Page, type Reading, sourceIf } from "./card.ts";
import { authorOf, Hashtags, idOf, pictureUrlOf, tidy } from "./text.ts";
import { CAPTION_MAX } from "./types.ts";

/** Beyond the limits of size and depth an object is not parsed at all. */
const parseItem = ({ html, limits, skips }: Page, { from, to, depth }: JsonItem): unknown => {
  if (to < 0) skips.add("bad-json", from);
  else if (to - from > limits.itemLength || depth > limits.itemDepth) skips.add("too-large", from);
  else {
    try {
      return JSON.parse(html.slice(from, to));
    } catch {
      // Broken JSON is part of what is pasted: it is counted, and the rest is read.
      skips.add("bad-json", from);
    }
  }
  return null;
};

/** Reads the videos of the JSON between two places of the page into `known`; the first of each id stays. */
export const readData = (page: Page, from: number, to: number, known: Map<string, Reading>): void => {
  const scanner = new JsonScanner(page.html, from, to);
  for (let place = scanner.next(); place; place = scanner.next()) {
    const parsed = parseItem(page, place);
    const item = isItem(parsed) ? parsed : itemWithin(parsed);
    if (!isItem(item)) continue;
    const reading = readItem(item, place.from);
    if (!reading) page.skips.add("bad-id", place.from);
    else if (known.size >= page.limits.videos) page.skips.add("too-many", place.from);
    else if (!known.has(reading.id)) known.set(reading.id, reading);
  }
};

/** What is read of the site's data. None of these names is a member that each object has. */
interface Told {
  id?: unknown;
  desc?: unknown;
  title?: unknown;
  hashtagName?: unknown;
  uniqueId?: unknown;
  author?: unknown;
  createTime?: unknown;
  stats?: unknown;
  statsV2?: unknown;
  playCount?: unknown;
  diggCount?: unknown;
  challenges?: unknown;
  textExtra?: unknown;
  contents?: unknown;
  video?: unknown;
  cover?: unknown;
  originCover?: unknown;
  dynamicCover?: unknown;
  imagePost?: unknown;
  images?: unknown;
  imageURL?: unknown;
  urlList?: unknown;
  item?: unknown;
}

const NOTHING: Told = {};
const told = (value: unknown): Told => (typeof value === "object" && value !== null ? value : NOTHING);

const NONE: unknown[] = [];
const LIST_MAX = 200;
const listOf = (value: unknown): unknown[] =>
  !Array.isArray(value) ? NONE : value.length > LIST_MAX ? value.slice(0, LIST_MAX) : value;

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** A count as digits; null for what is none. */
const countOf = (value: unknown): string | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? value : null;
};

const statOf = ({ statsV2, stats }: Told, name: "playCount" | "diggCount"): string | null =>
  countOf(told(statsV2)[name]) ?? countOf(told(stats)[name]);

const captionOf = ({ desc, contents }: Told): string | null =>
  tidy(textOf(desc), CAPTION_MAX) ??
  tidy(
    listOf(contents)
      .map((part) => textOf(told(part).desc) ?? "")
      .join(" "),
    CAPTION_MAX,
  );

const hashtagsOf = (item: Told, caption: string | null): string[] => {
  const hashtags = new Hashtags();
  for (const one of listOf(item.challenges)) hashtags.add(textOf(told(one).title));
  for (const one of listOf(item.textExtra)) hashtags.add(textOf(told(one).hashtagName));
  for (const part of listOf(item.contents)) {
    for (const one of listOf(told(part).textExtra)) hashtags.add(textOf(told(one).hashtagName));
  }
  hashtags.addFrom(caption);
  return hashtags.list();
};

const pictureOf = ({ video, imagePost }: Told): string | null => {
  const { cover, originCover, dynamicCover } = told(video);
  const address =
    pictureUrlOf(textOf(cover)) ?? pictureUrlOf(textOf(originCover)) ?? pictureUrlOf(textOf(dynamicCover));
  if (address) return address;
  const [image] = listOf(told(imagePost).images);
  const [first] = listOf(told(told(image).imageURL).urlList);
  return pictureUrlOf(textOf(first));
};

const timeOfItem = ({ createTime }: Told): number | null =>
  typeof createTime === "number" || typeof createTime === "string" ? Number(createTime) : null;

/** Whether a value looks like a video of the site's data at all. */
const isItem = (value: unknown): boolean => {
  const { id, desc, createTime, video, stats } = told(value);
  const signs = [desc, createTime, video, stats];
  return id !== undefined && signs.filter((sign) => sign !== undefined).length >= 2;
};

/** The video of an entry of a search's answer, `{"type": 1, "item": {…}}`. */
const itemWithin = (value: unknown): unknown => told(value).item;

/**
 * Reads a video of the site's data, as pages embed it or its programs are answered. The author is an object, or in
 * pages until 2023 a text. Null when the id is none.
 */
const readItem = (value: unknown, offset: number): Reading | null => {
  const item = told(value);
  const id = idOf(item.id);
  if (id === null) return null;
  const author = authorOf(textOf(item.author) ?? textOf(told(item.author).uniqueId));
  const title = captionOf(item);
  const thumbnail_url = pictureOf(item);
  const views_count = statOf(item, "playCount");
  const likes_count = statOf(item, "diggCount");
  const hashtags = hashtagsOf(item, title);
  return {
    id,
    kind: item.imagePost === undefined ? "video" : "photo",
    author,
    title,
    thumbnail_url,
    views_count,
    likes_count,
    date_posted: null,
    createTime: timeOfItem(item),
    hashtags,
    sources: {
      title: sourceIf(title, "json"),
      author: sourceIf(author, "json"),
      thumbnail_url: sourceIf(thumbnail_url, "json"),
      views_count: sourceIf(views_count, "json"),
      likes_count: sourceIf(likes_count, "json"),
      date_posted: null,
      hashtags: sourceIf(hashtags.length > 0, "json"),
    },
    offset,
  };
};

/** What is being done with an open object or array of the text. */
type Place = "other" | "item" | "list" | "module";

/** An object of the text that may be a video. */
interface JsonItem {
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
class JsonScanner {
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
