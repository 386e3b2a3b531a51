import { authorOf, idOf, pictureUrlOf } from "./addresses.ts";
import { Hashtags } from "./hashtags.ts";
import { CAPTION_MAX } from "./limits.ts";
import { type Reading, sourceIf } from "./read-card.ts";
import { tidy } from "./text.ts";

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
export const isItem = (value: unknown): boolean => {
  const { id, desc, createTime, video, stats } = told(value);
  const signs = [desc, createTime, video, stats];
  return id !== undefined && signs.filter((sign) => sign !== undefined).length >= 2;
};

/** The video of an entry of a search's answer, `{"type": 1, "item": {…}}`. */
export const itemWithin = (value: unknown): unknown => told(value).item;

/**
 * Reads a video of the site's data, as pages embed it or its programs are answered. The author is an object, or in
 * pages until 2023 a text. Null when the id is none.
 */
export const readItem = (value: unknown, offset: number): Reading | null => {
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
