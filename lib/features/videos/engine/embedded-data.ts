import { type Page, type Reading, sourceIf } from "./card.ts";
import { authorOf, Hashtags, idOf, imageUrlOf, tidy } from "./text.ts";
import { CAPTION_MAX } from "./types.ts";

const parseItem = ({ html, limits, skips }: Page, { from, to, depth }: JsonItem): unknown => {
  if (to < 0) skips.add("bad-json", from);
  else if (to - from > limits.itemLength || depth > limits.itemDepth) skips.add("too-large", from);
  else {
    try {
      return JSON.parse(html.slice(from, to));
    } catch {
      // Broken JSON is counted, and reading continues.
      skips.add("bad-json", from);
    }
  }
  return null;
};

/** Reads the videos in a JSON range into `known`; the first reading of an id stays. */
export const readData = (page: Page, from: number, to: number, known: Map<string, Reading>): void => {
  const scanner = new JsonScanner(page.html, from, to);
  for (let found = scanner.next(); found; found = scanner.next()) {
    const parsed = parseItem(page, found);
    const item = looksLikeVideo(parsed) ? parsed : nestedItem(parsed);
    if (!looksLikeVideo(item)) continue;
    const reading = readItem(item, found.from);
    if (!reading) page.skips.add("bad-id", found.from);
    else if (known.size >= page.limits.videos) page.skips.add("too-many", found.from);
    else if (!known.has(reading.id)) known.set(reading.id, reading);
  }
};

/** The fields that are read from the site's data. None is a member of Object.prototype. */
interface RawItem {
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
  duration?: unknown;
  cover?: unknown;
  originCover?: unknown;
  dynamicCover?: unknown;
  imagePost?: unknown;
  images?: unknown;
  imageURL?: unknown;
  urlList?: unknown;
  item?: unknown;
}

const NO_FIELDS: RawItem = {};
const fieldsOf = (value: unknown): RawItem => (typeof value === "object" && value !== null ? value : NO_FIELDS);

const NONE: unknown[] = [];
const LIST_MAX = 200;
const listOf = (value: unknown): unknown[] =>
  !Array.isArray(value) ? NONE : value.length > LIST_MAX ? value.slice(0, LIST_MAX) : value;

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const countOf = (value: unknown): string | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? value : null;
};

const statOf = ({ statsV2, stats }: RawItem, name: "playCount" | "diggCount"): string | null =>
  countOf(fieldsOf(statsV2)[name]) ?? countOf(fieldsOf(stats)[name]);

const captionOf = ({ desc, contents }: RawItem): string | null =>
  tidy(textOf(desc), CAPTION_MAX) ??
  tidy(
    listOf(contents)
      .map((part) => textOf(fieldsOf(part).desc) ?? "")
      .join(" "),
    CAPTION_MAX,
  );

const hashtagsOf = (item: RawItem, caption: string | null): string[] => {
  const hashtags = new Hashtags();
  for (const one of listOf(item.challenges)) hashtags.add(textOf(fieldsOf(one).title));
  for (const one of listOf(item.textExtra)) hashtags.add(textOf(fieldsOf(one).hashtagName));
  for (const part of listOf(item.contents)) {
    for (const one of listOf(fieldsOf(part).textExtra)) hashtags.add(textOf(fieldsOf(one).hashtagName));
  }
  hashtags.addFrom(caption);
  return hashtags.list();
};

const imageOf = ({ video, imagePost }: RawItem): string | null => {
  const { cover, originCover, dynamicCover } = fieldsOf(video);
  const url = imageUrlOf(textOf(cover)) ?? imageUrlOf(textOf(originCover)) ?? imageUrlOf(textOf(dynamicCover));
  if (url) return url;
  const [image] = listOf(fieldsOf(imagePost).images);
  const [first] = listOf(fieldsOf(fieldsOf(image).imageURL).urlList);
  return imageUrlOf(textOf(first));
};

/** A photo's is 0. Nothing on the site is longer than a day. */
const DURATION_MAX = 86_400;

const durationOf = ({ video }: RawItem): number | null => {
  const { duration } = fieldsOf(video);
  const seconds = typeof duration === "number" || typeof duration === "string" ? Math.round(Number(duration)) : 0;
  return seconds > 0 && seconds <= DURATION_MAX ? seconds : null;
};

const timeOfItem = ({ createTime }: RawItem): number | null =>
  typeof createTime === "number" || typeof createTime === "string" ? Number(createTime) : null;

const looksLikeVideo = (value: unknown): boolean => {
  const { id, desc, createTime, video, stats } = fieldsOf(value);
  const signals = [desc, createTime, video, stats];
  return id !== undefined && signals.filter((sign) => sign !== undefined).length >= 2;
};

/** An entry of a search response wraps the video: `{"type": 1, "item": {…}}`. */
const nestedItem = (value: unknown): unknown => fieldsOf(value).item;

/** The author is an object, or a string on pages until 2023. Null when the id is invalid. */
const readItem = (value: unknown, offset: number): Reading | null => {
  const item = fieldsOf(value);
  const id = idOf(item.id);
  if (id === null) return null;
  const author = authorOf(textOf(item.author) ?? textOf(fieldsOf(item.author).uniqueId));
  const title = captionOf(item);
  const thumbnail_url = imageOf(item);
  const views_count = statOf(item, "playCount");
  const likes_count = statOf(item, "diggCount");
  const duration_seconds = durationOf(item);
  const hashtags = hashtagsOf(item, title);
  return {
    id,
    kind: item.imagePost == null ? "video" : "photo",
    author,
    title,
    thumbnail_url,
    views_count,
    likes_count,
    date_posted: null,
    createTime: timeOfItem(item),
    duration_seconds,
    hashtags,
    sources: {
      title: sourceIf(title, "json"),
      author: sourceIf(author, "json"),
      thumbnail_url: sourceIf(thumbnail_url, "json"),
      views_count: sourceIf(views_count, "json"),
      likes_count: sourceIf(likes_count, "json"),
      date_posted: null,
      duration_seconds: sourceIf(duration_seconds, "json"),
      hashtags: sourceIf(hashtags.length > 0, "json"),
    },
    offset,
  };
};

type ContainerKind = "other" | "item" | "list" | "module";

interface JsonItem {
  from: number;
  /** The position after its closing brace; -1 when it is not closed. */
  to: number;
  depth: number;
}

const CONTAINER_KINDS = new Map<string, ContainerKind>([
  ["itemStruct", "item"],
  ["item", "item"],
  ["ItemModule", "module"],
  ["itemList", "list"],
  ["item_list", "list"],
  ["items", "list"],
  ["data", "list"],
  ["webapp.updated-items", "list"],
]);
/** Only names of these lengths are looked up. */
const NAME_LENGTHS = new Set([...CONTAINER_KINDS.keys()].map(({ length }) => length));
/** Text without any of these contains no video and is skipped. */
const VIDEO_MARKERS = /"(?:itemStruct|ItemModule|itemList|item_list|createTime)"/;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OBJECT = 123;
const ARRAY = 91;
const NEAR = 12;
const DEPTH_MAX = 10_000;

const isOpening = (code: number): boolean => code === OBJECT || code === ARRAY;
const isClosing = (code: number): boolean => code === 125 || code === 93;

/** Returns -1 when the string is not closed before `to`. */
const endOfText = (json: string, from: number, to: number): number => {
  // Most strings are short keys, where a loop is faster than indexOf.
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

/** The position after a JSON value; -1 when it is not closed. */
export const endOfJson = (json: string, from: number, to: number): number => readExtent(json, from, to).to;

const containerKindOf = (name: string, code: number, depth: number): ContainerKind => {
  const kind = CONTAINER_KINDS.get(name) ?? "other";
  if (code === ARRAY) return kind === "list" || depth === 0 ? "list" : "other";
  return kind === "list" ? "other" : kind;
};

/** One pass without parsing all of it, so that truncated or broken JSON still yields the videos before the break. */
class JsonScanner {
  private readonly json: string;
  private readonly to: number;
  private readonly open: ContainerKind[] = [];
  private at: number;
  private name = "";

  constructor(json: string, from: number, to: number) {
    const text = json.slice(from, to);
    this.json = json;
    this.to = to;
    this.at = VIDEO_MARKERS.test(text) ? from : to;
  }

  next(): JsonItem | null {
    const { json, to } = this;
    while (this.at < to) {
      const code = json.charCodeAt(this.at);
      if (code === QUOTE) this.handleText();
      else if (code === COMMA) this.name = "";
      else if (isOpening(code)) {
        const item = this.handleOpening(code);
        if (item) return item;
      } else if (isClosing(code)) this.open.pop();
      this.at += 1;
    }
    return null;
  }

  private handleText(): void {
    const end = endOfText(this.json, this.at + 1, this.to);
    this.name = NAME_LENGTHS.has(end - this.at - 2) ? this.json.slice(this.at + 1, end - 1) : "";
    this.at = end < 0 ? this.to : end - 1;
  }

  private handleOpening(code: number): JsonItem | null {
    const { open } = this;
    const kind = containerKindOf(this.name, code, open.length);
    const parent = open.at(-1);
    this.name = "";
    if (code === OBJECT && (kind === "item" || parent === "list" || parent === "module")) {
      const item = readExtent(this.json, this.at, this.to);
      this.at = item.to < 0 ? this.to : item.to;
      return item;
    }
    if (open.push(kind) > DEPTH_MAX) this.at = this.to;
    return null;
  }
}
