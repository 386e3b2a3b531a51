import { z } from "zod";
import type { UploadedFile } from "#lib/core/images.ts";
import { IDEMPOTENCY_HEADER, TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import {
  altText,
  boardId,
  boardSectionId,
  bulkUpload,
  description,
  imageRequest,
  link,
  type PinWire,
  title,
} from "#lib/features/pins/schema.ts";
import { COVER_PART, SLIDES_MAX, SLIDES_MIN, slidePart, TEXTS, VIDEO_PART } from "./constants.ts";

const orEmpty = (text: string | null | undefined): string => text ?? "";
const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

const pinShape = {
  board_id: boardId,
  board_section_id: boardSectionId.nullish().transform(orNull),
  title,
  description: description.nullish().transform(orEmpty),
  url: link.nullish().transform(orNull),
  alt_text: altText.nullish().transform(orEmpty),
};

const slide = z
  .object({
    // A slide needs no title.
    title: z
      .union([z.literal(""), title])
      .nullish()
      .transform(orEmpty),
    description: description.nullish().transform(orEmpty),
    url: link.nullish().transform(orNull),
  })
  .transform(({ url, ...texts }) => ({ ...texts, link: url }));
export type SlideTexts = z.output<typeof slide>;

const json = z.string(TEXTS.pinInvalid).transform((text, check) => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    check.addIssue({ code: "custom", message: TEXTS.pinInvalid });
    return z.NEVER;
  }
});

const toPin = ({ board_id, board_section_id, url, alt_text, ...texts }: z.output<z.ZodObject<typeof pinShape>>) => ({
  ...texts,
  ...{ boardId: board_id, boardSectionId: board_section_id, link: url, altText: alt_text },
});
export type NewPinTexts = ReturnType<typeof toPin>;

const accountId = z.string(TEXTS.accountNeeded).min(1, TEXTS.accountNeeded).max(100, PIN_TEXTS.accountNeeded);
const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,100}$/, PIN_TEXTS.keyInvalid)
  .nullable();

interface NewPin {
  accountId: string;
  idempotencyKey: string | null;
  pin: NewPinTexts;
}

export interface CreateVideoInput extends NewPin {
  video: UploadedFile;
  cover: UploadedFile;
}

export interface CreateCarouselInput extends NewPin {
  slides: (SlideTexts & { image: UploadedFile })[];
}

const common = { pinterest_account: accountId, [IDEMPOTENCY_HEADER]: idempotencyKey };

const partsOf = ({ fields, files, idempotencyKey: key }: z.output<typeof bulkUpload>) => ({
  ...{ ...fields, ...files, [IDEMPOTENCY_HEADER]: key },
});

const file = (missing: string) => bulkUpload.shape.files.valueType.or(z.undefined()).refine(Boolean, missing);

/** The path after `/api/videos/`, and the `Range` header. */
export const videoRequest = z
  .object({ key: z.array(z.string()), range: z.string().nullable() })
  .transform(({ key, range }) => ({ ...imageRequest.parse({ key }), range }));
export type VideoRequest = z.output<typeof videoRequest>;

/** The multipart body of POST /api/users/pinterest/create-video/ */
export const createVideoInput = bulkUpload
  .transform(partsOf)
  .pipe(
    z.object({
      ...common,
      pin: json.pipe(z.object(pinShape, TEXTS.pinInvalid)).transform(toPin),
      [VIDEO_PART]: file(TEXTS.videoNeeded),
      [COVER_PART]: file(TEXTS.coverNeeded),
    }),
  )
  .transform(
    (body): CreateVideoInput => ({
      ...{ accountId: body.pinterest_account, idempotencyKey: body[IDEMPOTENCY_HEADER], pin: body.pin },
      ...{ video: body[VIDEO_PART] as UploadedFile, cover: body[COVER_PART] as UploadedFile },
    }),
  );

const carouselPin = z
  .object(
    { ...pinShape, slides: z.array(slide, TEXTS.slidesCount).min(SLIDES_MIN, TEXTS.slidesCount) },
    TEXTS.pinInvalid,
  )
  .refine(({ slides }) => slides.length <= SLIDES_MAX, TEXTS.slidesCount);

/** The multipart body of POST /api/users/pinterest/create-carousel/ */
export const createCarouselInput = bulkUpload
  .transform((upload) => ({ ...partsOf(upload), images: upload.files }))
  .pipe(z.object({ ...common, pin: json.pipe(carouselPin), images: bulkUpload.shape.files }))
  .transform((body, check): CreateCarouselInput => {
    const { slides, ...pin } = body.pin;
    const paired = slides.flatMap((texts, index) => {
      const image = body.images[slidePart(index)];
      return image ? [{ ...texts, image }] : [];
    });
    if (paired.length !== slides.length || Object.keys(body.images).length !== slides.length) {
      check.addIssue({ code: "custom", path: ["slides"], message: TEXTS.slidesDiffer });
    }
    return {
      ...{ accountId: body.pinterest_account, idempotencyKey: body[IDEMPOTENCY_HEADER] },
      ...{ pin: toPin(pin), slides: paired },
    };
  });

export interface CreatedPinWire {
  message: string;
  post: PinWire;
}
