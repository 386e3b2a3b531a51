import { decodeCursor, encodeCursor } from "#lib/core/paging.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import {
  DESCRIPTION_MAX,
  IMAGE_PATH,
  LINK_MAX,
  type PinSort,
  type PinStatus,
  SIGNED_IMAGE_FOLDER,
  SLUG_MAX,
  TEXTS,
  THUMBNAIL_WIDTHS_PX,
  UTM_NAMES,
} from "./constants.ts";
import type { DraftsChange, EditableFields, Place, PlaceChange, UtmTemplate } from "./schema.ts";

/** Statuses in which nothing is on its way to Pinterest, so the pin can be edited and deleted. */
export const AT_REST = ["draft", "failed"] as const satisfies readonly PinStatus[];

export const isAtRest = ({ status }: { status: string }): boolean => AT_REST.some((atRest) => atRest === status);

export const imageKeysOf = (pin: { imageKey: string; baseImageKey: string | null }): string[] =>
  pin.baseImageKey === null ? [pin.imageKey] : [pin.imageKey, pin.baseImageKey];

/** The storage keys of an image's thumbnails; also works on an image's URL. */
export const thumbnailKeys = (imageKey: string): string[] =>
  THUMBNAIL_WIDTHS_PX.map((widthPx) => imageKey.replace(/\.jpg$/, `.w${widthPx}.webp`));

export const thumbnailOf = (key: string): { imageKey: string; widthPx: number } | null => {
  const [, stem, width] = /^([^.]+)\.w(\d+)\.webp$/.exec(key) ?? [];
  const widthPx = THUMBNAIL_WIDTHS_PX.find((known) => String(known) === width);
  return stem === undefined || widthPx === undefined ? null : { imageKey: `${stem}.jpg`, widthPx };
};

/** The `srcset` for an image URL, or undefined when the image is not in our storage. */
export const thumbnailSet = (imageUrl: string): string | undefined =>
  imageUrl.startsWith(IMAGE_PATH) && imageUrl.endsWith(".jpg")
    ? thumbnailKeys(imageUrl)
        .map((url, index) => `${url} ${THUMBNAIL_WIDTHS_PX[index]}w`)
        .join(", ")
    : undefined;

/** When the signature of an image URL ends; null for other URLs. */
export const imageUrlExpiry = (url: string): Date | null => {
  const [, seconds] = new RegExp(`${IMAGE_PATH}${SIGNED_IMAGE_FOLDER}/(\\d{1,12})/`).exec(url) ?? [];
  return seconds === undefined ? null : new Date(Number(seconds) * SECOND_MS);
};

export const templateIdOf = (template: unknown): string | null =>
  typeof template === "object" && template !== null && "id" in template && typeof template.id === "string"
    ? template.id
    : null;

export const SECTIONS = {
  newest: ["newest"],
  oldest: ["oldest"],
  due: ["scheduled", "rest"],
  title: ["title"],
} as const satisfies Record<PinSort, readonly string[]>;
export type Section = (typeof SECTIONS)[PinSort][number];

/** The last pin of a page. The next page begins after `key` in the section's order, or after `id` for equal keys. */
export interface PinPosition {
  section: Section;
  key: Date | string;
  id: string;
}

const SECTION_PREFIXES = { oldest: "o", scheduled: "s", rest: "r", title: "t" } as const;

export const encodePosition = ({ section, key, id }: PinPosition): string => {
  if (typeof key === "string") return `${SECTION_PREFIXES.title}.${id}.${encodeURIComponent(key)}`;
  const cursor = encodeCursor({ createdAt: key, id });
  return section === "newest" || section === "title" ? cursor : `${SECTION_PREFIXES[section]}.${cursor}`;
};

const decodeTitle = (text: string): string | null => {
  try {
    const title = decodeURIComponent(text);
    return /[\p{Cc}--[\n]]/v.test(title) ? null : title;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
};

/** The position in a cursor, or null when it is malformed or of another sort order. */
export const decodePosition = (cursor: string, sort: PinSort): PinPosition | null => {
  if (sort === "title") {
    const [, id, text = ""] = /^t\.([a-z0-9_]{1,60})\.(.{1,900})$/.exec(cursor) ?? [];
    const key = decodeTitle(text);
    return id === undefined || key === null ? null : { section: "title", key, id };
  }
  const section = SECTIONS[sort].find((name) => name === "newest" || cursor.startsWith(`${SECTION_PREFIXES[name]}.`));
  const position = section && decodeCursor(section === "newest" ? cursor : cursor.slice(2));
  return position ? { section, key: position.createdAt, id: position.id } : null;
};

type TaggedPin = { keyword: string | null; title: string };

/** Lowercase letters and digits of any script without accents, joined by hyphens; at most `SLUG_MAX` characters. */
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

/** Replaces all `utm_` parameters of a link by those of a template; skips empty values and keeps all else unchanged. */
export const tagLink = (link: string, template: UtmTemplate, pin: TaggedPin): string => {
  const [base = "", ...fragment] = link.split("#");
  const [path = "", ...query] = base.split("?");
  const before = query.join("?");
  const others = before === "" ? [] : before.split("&").filter((parameter) => !isUtm(parameter));
  const fill = (text: string) =>
    text.replaceAll("{keyword}", slugOf(pin.keyword ?? "")).replaceAll("{title}", slugOf(pin.title));
  const added = UTM_NAMES.flatMap((name) => {
    const value = fill(template[name] ?? "");
    return value === "" ? [] : [`utm_${name}=${encodeURIComponent(value)}`];
  });
  const parameters = [...others, ...added].join("&");
  return `${path}${parameters && `?${parameters}`}${fragment.length > 0 ? `#${fragment.join("#")}` : ""}`;
};

const withSuffix = (text: string, suffix: string): string => {
  if (text === "" || text === suffix) return suffix;
  return text.endsWith(` ${suffix}`) || text.endsWith(`\n${suffix}`) ? text : `${text} ${suffix}`;
};

/** Where a change puts a pin; null: it stays. A board without a section means outside of its sections. */
export const placeIn = ({ boardId, boardSectionId = null }: PlaceChange): Place | null =>
  boardId === undefined ? null : { boardId, boardSectionId };

/** A pin's fields after a change. Applying the same change twice has no further effect. `problem`: why it is invalid. */
export const planEdit = (
  pin: EditableFields & TaggedPin,
  change: DraftsChange,
): { after: EditableFields; problem: string | null } => {
  const untagged = change.link === undefined ? pin.link : change.link;
  const link = untagged !== null && change.utm ? tagLink(untagged, change.utm, pin) : untagged;
  const { descriptionSuffix: suffix } = change;
  const description = suffix === undefined ? pin.description : withSuffix(pin.description, suffix);
  const isLinkLong = link !== pin.link && (link ?? "").length > LINK_MAX;
  const isTextLong = description !== pin.description && description.length > DESCRIPTION_MAX;
  const problem = isLinkLong ? TEXTS.taggedTooLong : isTextLong ? TEXTS.suffixTooLong : null;
  const { boardId, boardSectionId } = placeIn(change) ?? pin;
  const { altText = pin.altText } = change;
  return { after: { boardId, boardSectionId, link, description, altText }, problem };
};
