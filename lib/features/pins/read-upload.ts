import "server-only";
import { z } from "zod";
import { BULK_MAX, IDEMPOTENCY_HEADER, TEXTS } from "./constants.ts";
import {
  altText,
  type BulkPin,
  type BulkUpload,
  boardId,
  type CreateBulkInput,
  description,
  fileDigest,
  link,
  opaqueId,
  partName,
  title,
} from "./schema.ts";

/** R-ENT-07 without its image, and what a pin may have besides. */
const bulkPin = z
  .object({
    board_id: boardId,
    title,
    description: description.nullish().transform((text) => text ?? ""),
    url: link.nullish().transform((address) => address ?? null),
    alt_text: altText.nullish().transform((text) => text ?? ""),
    // Of an image that an earlier, refused set brought: it need not be sent again.
    image_sha256: fileDigest.nullish(),
  })
  .transform(({ board_id, url, alt_text, image_sha256, ...texts }) => ({
    ...texts,
    keptSha256: image_sha256 ?? null,
    boardId: board_id,
    link: url,
    altText: alt_text,
  }));

/** Where the image of the pin at that place (from 0) comes (R-BULK-08). */
const imagePartName = (index: number): string => `${partName(index)}[image]`;

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** The pins as they were sent: `pins[i]` one by one, else all in `pins`. */
const sentPins = ({ fields }: BulkUpload): unknown[] => {
  const single = Object.keys(fields).filter((name) => /^pins\[\d+\]$/.test(name));
  if (single.length > 0) return single.map((_, index) => readJson(fields[partName(index)] ?? ""));
  const all = readJson(fields.pins ?? "");
  return Array.isArray(all) ? all : [];
};

const countFault = (upload: BulkUpload, sent: number): string | null => {
  const text = upload.fields.number_of_pins ?? "";
  const asked = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0;
  if (asked < 1 || asked > BULK_MAX) return `The number of pins is a whole number from 1 to ${BULK_MAX}.`;
  if (asked !== sent) return `The number of pins is ${asked}, but ${sent} came.`;
  const images = Object.keys(upload.files).length;
  return images > asked ? `The number of pins is ${asked}, but ${images} images came.` : null;
};

/** Sentences about one pin name it as the screen does: from 1. */
const ofPin = (index: number, text: string): string => `Pin ${index + 1}: ${text}`;

type Check = z.core.$RefinementCtx;

const readPin = (raw: unknown, index: number, upload: BulkUpload, check: Check): BulkPin | null => {
  const file = upload.files[imagePartName(index)];
  const parsed = bulkPin.safeParse(raw ?? {});
  const sha256 = parsed.data?.keptSha256 ?? null;
  const picture = file ?? (sha256 === null ? undefined : { path: null, sha256 });
  const faults = parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  if (!picture) faults.push(TEXTS.pictureNeeded);
  for (const fault of faults) check.addIssue({ code: "custom", path: [partName(index)], message: ofPin(index, fault) });
  if (!parsed.success || !picture) return null;
  const { keptSha256: _, ...texts } = parsed.data;
  return { ...texts, picture };
};

/** POST /api/users/pinterest/create-bulk/ (R-BULK-01 to R-BULK-08, A-18): the pins of a multipart body. */
export const readUpload = (upload: BulkUpload, check: Check): CreateBulkInput => {
  const { idempotencyKey, fields } = upload;
  const say = (path: string, message: string) => check.addIssue({ code: "custom", path: [path], message });
  const accountId = opaqueId.safeParse(fields.pinterest_account);
  if (!accountId.success) say("pinterest_account", TEXTS.accountNeeded);
  if (idempotencyKey !== null && !/^[!-~]{1,100}$/.test(idempotencyKey)) say(IDEMPOTENCY_HEADER, TEXTS.keyInvalid);
  const sent = sentPins(upload);
  const fault = countFault(upload, sent.length);
  if (fault) say("number_of_pins", fault);
  if (fault || !accountId.success) return z.NEVER;
  const read = sent.map((raw, index) => readPin(raw, index, upload, check));
  return { accountId: accountId.data, pins: read.filter((pin) => pin !== null), idempotencyKey };
};
