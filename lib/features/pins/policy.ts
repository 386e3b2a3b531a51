import { decodeCursor, encodeCursor } from "#lib/core/paging.ts";
import {
  DESCRIPTION_MAX,
  IMAGE_PATH,
  LINK_MAX,
  type PostSort,
  type PostStatus,
  SLUG_MAX,
  TEXTS,
  THUMBNAIL_WIDTHS_PX,
  UTM_NAMES,
} from "./constants.ts";
import type { DraftsChange, EditedTexts, UtmTemplate } from "./schema.ts";

/** States in which a pin is its owner's alone: nothing is on its way to Pinterest. */
export const AT_REST = ["draft", "failed"] as const satisfies readonly PostStatus[];

export const isAtRest = ({ status }: { status: string }): boolean => AT_REST.some((one) => one === status);

/** The pictures of a pin: what is published, and what lies under its template. */
export const imageKeysOf = (pin: { imageKey: string; baseImageKey: string | null }): string[] =>
  pin.baseImageKey === null ? [pin.imageKey] : [pin.imageKey, pin.baseImageKey];

/** Keys under which a picture's thumbnails are stored, and at the end of whose addresses they are served. */
export const thumbnailKeys = (imageKey: string): string[] =>
  THUMBNAIL_WIDTHS_PX.map((widthPx) => imageKey.replace(/\.jpg$/, `.w${widthPx}.webp`));

/** Which picture a key shows in small, and how wide; null when it is no thumbnail's. */
export const thumbnailOf = (key: string): { imageKey: string; widthPx: number } | null => {
  const [, stem, width] = /^([^.]+)\.w(\d+)\.webp$/.exec(key) ?? [];
  const widthPx = THUMBNAIL_WIDTHS_PX.find((one) => String(one) === width);
  return stem === undefined || widthPx === undefined ? null : { imageKey: `${stem}.jpg`, widthPx };
};

/** The `srcset` of a picture's address, or undefined when it is not one of ours. */
export const thumbnailSet = (imageUrl: string): string | undefined =>
  imageUrl.startsWith(IMAGE_PATH) && imageUrl.endsWith(".jpg")
    ? thumbnailKeys(imageUrl)
        .map((url, index) => `${url} ${THUMBNAIL_WIDTHS_PX[index]}w`)
        .join(", ")
    : undefined;

/** The id of the template that a stored choice names; null for a picture without words on it. */
export const templateIdOf = (template: unknown): string | null =>
  typeof template === "object" && template !== null && "id" in template && typeof template.id === "string"
    ? template.id
    : null;

/**
 * Stretches of a list in one order each: most sorts are one, `due` is what is scheduled, then the rest.
 * A page that ends within a stretch goes on there.
 */
export const STRETCHES = {
  newest: ["newest"],
  oldest: ["oldest"],
  due: ["scheduled", "rest"],
  title: ["title"],
} as const satisfies Record<PostSort, readonly string[]>;
export type Stretch = (typeof STRETCHES)[PostSort][number];

/** Where a page of posts ended: what comes after it has a later `key` in the order of its stretch, or the same and a later id. */
export interface PostPosition {
  stretch: Stretch;
  key: Date | string;
  id: string;
}

const LETTERS = { oldest: "o", scheduled: "s", rest: "r", title: "t" } as const;

/** An opaque text for a position. */
export const encodePosition = ({ stretch, key, id }: PostPosition): string => {
  if (typeof key === "string") return `${LETTERS.title}.${id}.${encodeURIComponent(key)}`;
  const place = encodeCursor({ createdAt: key, id });
  return stretch === "newest" || stretch === "title" ? place : `${LETTERS[stretch]}.${place}`;
};

const decodeTitle = (text: string): string | null => {
  try {
    const title = decodeURIComponent(text);
    // Titles of earlier versions may have line breaks.
    return /[\p{Cc}--[\n]]/v.test(title) ? null : title;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
};

/** The position of a cursor that we gave out for this order, else null. */
export const decodePosition = (cursor: string, sort: PostSort): PostPosition | null => {
  if (sort === "title") {
    const [, id, text = ""] = /^t\.([a-z0-9_]{1,60})\.(.{1,900})$/.exec(cursor) ?? [];
    const key = decodeTitle(text);
    return id === undefined || key === null ? null : { stretch: "title", key, id };
  }
  const stretch = STRETCHES[sort].find((one) => one === "newest" || cursor.startsWith(`${LETTERS[one]}.`));
  const place = stretch && decodeCursor(stretch === "newest" ? cursor : cursor.slice(2));
  return place ? { stretch, key: place.createdAt, id: place.id } : null;
};

/** What a template's `{keyword}` and `{title}` stand for. */
export type TaggedPin = { keyword: string | null; title: string };

/** A text as part of an address: letters and digits of any script, small and without accents, with hyphens between. */
export const slugOf = (text: string): string => {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const slug = plain.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "");
  return [...slug].slice(0, SLUG_MAX).join("").replace(/-+$/, "");
};

const isUtm = (parameter: string): boolean => {
  const [name = ""] = new URLSearchParams(parameter).keys();
  return /^utm_/i.test(name);
};

/**
 * A link with the UTM parameters of a template. What else stands in its query, and what follows `#`, stays as it is to
 * the letter; parameters whose names begin with `utm_` are replaced, all of them, and what comes out empty is left out.
 */
export const tagLink = (link: string, template: UtmTemplate, pin: TaggedPin): string => {
  const [address = "", ...fragment] = link.split("#");
  const [path = "", ...query] = address.split("?");
  const before = query.join("?");
  const kept = before === "" ? [] : before.split("&").filter((one) => !isUtm(one));
  const fill = (text: string) =>
    text.replaceAll("{keyword}", slugOf(pin.keyword ?? "")).replaceAll("{title}", slugOf(pin.title));
  const added = UTM_NAMES.flatMap((name) => {
    const value = fill(template[name] ?? "");
    return value === "" ? [] : [`utm_${name}=${encodeURIComponent(value)}`];
  });
  const parameters = [...kept, ...added].join("&");
  return `${path}${parameters && `?${parameters}`}${fragment.length > 0 ? `#${fragment.join("#")}` : ""}`;
};

const withSuffix = (text: string, suffix: string): string => {
  if (text === "" || text === suffix) return suffix;
  return text.endsWith(` ${suffix}`) || text.endsWith(`\n${suffix}`) ? text : `${text} ${suffix}`;
};

/** A pin's texts after a change of several pins; the same change again changes nothing. `problem`: why it cannot be. */
export const planEdit = (
  pin: EditedTexts & TaggedPin,
  change: DraftsChange,
): { after: EditedTexts; problem: string | null } => {
  const untagged = change.link === undefined ? pin.link : change.link;
  const link = untagged !== null && change.utm ? tagLink(untagged, change.utm, pin) : untagged;
  const { descriptionSuffix: suffix } = change;
  const description = suffix === undefined ? pin.description : withSuffix(pin.description, suffix);
  const isLinkLong = link !== pin.link && (link ?? "").length > LINK_MAX;
  const isTextLong = description !== pin.description && description.length > DESCRIPTION_MAX;
  const problem = isLinkLong ? TEXTS.taggedTooLong : isTextLong ? TEXTS.suffixTooLong : null;
  return { after: { boardId: change.boardId ?? pin.boardId, link, description }, problem };
};
