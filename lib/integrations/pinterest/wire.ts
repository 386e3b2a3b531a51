import { z } from "zod";
import type { PinterestBoard, PinterestBoardPin, PinterestProfile } from "./port.ts";

const id = z.string().min(1).max(100);
const textOrEmpty = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

/** Pinterest sends null, nothing, or sometimes a negative number for unknown counts. */
const countOrNull = z
  .number()
  .nullish()
  .transform((value) => (typeof value === "number" && value >= 0 ? Math.trunc(value) : null));

const hasZone = (text: string): boolean => /(z|[+-]\d{2}:?\d{2})$/i.test(text);

/** Times without a zone are UTC. */
const dateTime = z
  .string()
  .transform((text) => new Date(hasZone(text) ? text : `${text}Z`))
  .refine((at) => !Number.isNaN(at.getTime()), "is no moment");

/** `GET /user_account` */
export const profileShape = z
  .object({
    id,
    username: z.string().min(1).max(200),
    board_count: countOrNull,
    pin_count: countOrNull,
    follower_count: countOrNull,
    monthly_views: countOrNull,
  })
  .transform(
    (raw): PinterestProfile => ({
      pinterestUserId: raw.id,
      username: raw.username,
      boardCount: raw.board_count,
      pinCount: raw.pin_count,
      followerCount: raw.follower_count,
      monthlyViews: raw.monthly_views,
    }),
  );

/** `POST /boards`, and an item of `GET /boards`. */
export const boardShape = z
  .object({ id, name: z.string(), description: textOrEmpty, privacy: z.string().nullish() })
  .transform(
    (raw): PinterestBoard => ({
      id: raw.id,
      name: raw.name,
      description: raw.description,
      privacy: raw.privacy ?? "PUBLIC",
    }),
  );

/** `POST /boards/{board_id}/sections`, and an item of its GET. */
export const sectionShape = z.object({ id, name: z.string() });

/** Sizes that show the whole image; `150x150` is cropped. */
const IMAGE_SIZES = ["600x", "1200x", "400x300"];

const imageSizes = z.record(z.string(), z.object({ url: z.string() }));

/** Only helps to recognize a pin, so an unknown shape is no error. A carousel has only the images of its slides. */
const boardPinMedia = z
  .union([
    z.object({ items: z.tuple([z.object({ images: imageSizes })], z.unknown()) }).transform(({ items }) => items[0]),
    z.object({ images: imageSizes }),
  ])
  .nullish()
  .catch(null);

const boardPinShape = z
  .object({
    id,
    title: textOrEmpty,
    description: textOrEmpty,
    link: z.string().nullish(),
    created_at: dateTime,
    media: boardPinMedia,
  })
  .transform(
    (raw): PinterestBoardPin => ({
      id: raw.id,
      title: raw.title,
      description: raw.description,
      link: raw.link || null,
      createdAt: raw.created_at,
      imageUrl: IMAGE_SIZES.map((size) => raw.media?.images[size]?.url).find((url) => url !== undefined) ?? null,
    }),
  );

const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    items: z.array(item),
    bookmark: z
      .string()
      .nullish()
      .transform((value) => value || null),
  });

export const boardsPage = pageOf(boardShape);
export const sectionsPage = pageOf(sectionShape);
/** `GET /boards/{board_id}/pins` and `GET /boards/{board_id}/sections/{section_id}/pins` */
export const boardPinsPage = pageOf(boardPinShape);
/** `POST /pins`: only the id is needed. */
export const createdPinShape = z.object({ id });

/** `POST /oauth/token`. A refresh may keep the refresh token and return none. */
export const tokensShape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive(),
  refresh_token_expires_in: z.number().positive().optional(),
  scope: z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean)),
});
