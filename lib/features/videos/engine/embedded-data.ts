import { type Page, type Reading, sourceIf } from "./card.ts";
import type { Extent } from "./json.ts";
import { JsonScanner } from "./json-items.ts";
import { authorOf, Hashtags, idOf, imageUrlOf, isTime, tidy } from "./text.ts";
import { CAPTION_MAX } from "./types.ts";

const parseItem = ({ html, limits, skips }: Page, { from, to, depth }: Extent): unknown => {
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
    const item = parseItem(page, found);
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

const timeOfItem = ({ createTime }: RawItem): number | null => {
  const seconds = typeof createTime === "number" || typeof createTime === "string" ? Number(createTime) : 0;
  return isTime(seconds) ? seconds : null;
};

const looksLikeVideo = (value: unknown): boolean => {
  const { id, desc, createTime, video, stats } = fieldsOf(value);
  const signals = [desc, createTime, video, stats];
  return id !== undefined && signals.filter((sign) => sign !== undefined).length >= 2;
};

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
    isCertain: author !== null || item.video != null || item.imagePost != null,
    offset,
  };
};
