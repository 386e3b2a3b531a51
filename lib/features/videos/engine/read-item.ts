import { authorOf, idOf, pictureUrlOf } from "./addresses.ts";
import { Hashtags } from "./hashtags.ts";
import { CAPTION_MAX } from "./limits.ts";
import type { Reading } from "./read-card.ts";
import { tidy } from "./text.ts";

/** A member of its own of an object; undefined for all else, so that no name reaches a prototype. */
const own = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const ownPath = (value: unknown, outer: string, inner: string): unknown => own(own(value, outer), inner);

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

const statOf = (item: unknown, name: string): string | null =>
  countOf(ownPath(item, "statsV2", name)) ?? countOf(ownPath(item, "stats", name));

const captionOf = (item: unknown): string | null =>
  tidy(textOf(own(item, "desc")), CAPTION_MAX) ??
  tidy(
    listOf(own(item, "contents"))
      .map((part) => textOf(own(part, "desc")) ?? "")
      .join(" "),
    CAPTION_MAX,
  );

const hashtagsOf = (item: unknown, caption: string | null): string[] => {
  const hashtags = new Hashtags();
  for (const one of listOf(own(item, "challenges"))) hashtags.add(textOf(own(one, "title")));
  for (const one of listOf(own(item, "textExtra"))) hashtags.add(textOf(own(one, "hashtagName")));
  for (const part of listOf(own(item, "contents"))) {
    for (const one of listOf(own(part, "textExtra"))) hashtags.add(textOf(own(one, "hashtagName")));
  }
  hashtags.addFrom(caption);
  return hashtags.list();
};

const pictureOf = (item: unknown): string | null => {
  for (const name of ["cover", "originCover", "dynamicCover"]) {
    const address = pictureUrlOf(textOf(ownPath(item, "video", name)));
    if (address) return address;
  }
  const [image] = listOf(ownPath(item, "imagePost", "images"));
  const [first] = listOf(ownPath(image, "imageURL", "urlList"));
  return pictureUrlOf(textOf(first));
};

const timeOfItem = (item: unknown): number | null => {
  const seconds = own(item, "createTime");
  return typeof seconds === "number" || typeof seconds === "string" ? Number(seconds) : null;
};

/** Whether a value looks like a video of the site's data at all. */
export const isItem = (value: unknown): boolean =>
  own(value, "id") !== undefined &&
  Number(own(value, "desc") !== undefined) +
    Number(own(value, "createTime") !== undefined) +
    Number(own(value, "video") !== undefined) +
    Number(own(value, "stats") !== undefined) >=
    2;

/** The video of an entry of a search's answer, `{"type": 1, "item": {…}}`. */
export const itemWithin = (value: unknown): unknown => own(value, "item");

/**
 * Reads a video of the site's data, as pages embed it or its programs are answered. The author is an object, or in
 * pages until 2023 a text. Null when the id is none.
 */
export const readItem = (item: unknown, offset: number): Reading | null => {
  const id = idOf(own(item, "id"));
  if (id === null) return null;
  const author = authorOf(textOf(own(item, "author")) ?? textOf(ownPath(item, "author", "uniqueId")));
  const title = captionOf(item);
  const thumbnail_url = pictureOf(item);
  const views_count = statOf(item, "playCount");
  const likes_count = statOf(item, "diggCount");
  const hashtags = hashtagsOf(item, title);
  const told = { author, title, thumbnail_url, views_count, likes_count };
  const sources: Reading["sources"] = {};
  if (author) sources.author = "json";
  if (title) sources.title = "json";
  if (thumbnail_url) sources.thumbnail_url = "json";
  if (views_count) sources.views_count = "json";
  if (likes_count) sources.likes_count = "json";
  if (hashtags.length > 0) sources.hashtags = "json";
  const kind = own(item, "imagePost") === undefined ? "video" : "photo";
  const createTime = timeOfItem(item);
  return { id, kind, ...told, date_posted: null, createTime, hashtags, sources, offset };
};
