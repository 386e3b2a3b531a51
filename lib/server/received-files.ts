import "server-only";
import type { Ctx, FullCtx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { LOGO_BYTES_MAX, LOGO_PART, TEXTS } from "#lib/features/branding/constants.ts";
import {
  COVER_PART,
  TEXTS as FORMAT_TEXTS,
  SLIDES_MAX,
  VIDEO_BYTES_MAX,
  VIDEO_PART,
} from "#lib/features/formats/constants.ts";
import { expectVideo } from "#lib/features/formats/video-space.ts";
import {
  BULK_BYTES_MAX,
  BULK_MAX,
  IDEMPOTENCY_HEADER,
  IMAGE_BYTES_MAX,
  IMAGE_PART,
  TEXTS as PIN_TEXTS,
} from "#lib/features/pins/constants.ts";
import { saveReceivedFile } from "#lib/features/pins/uploads.ts";
import {
  IMAGES_PART,
  SHEET_BYTES_MAX,
  SHEET_PART,
  TEXTS as SHEET_TEXTS,
  ZIP_BYTES_MAX,
} from "#lib/features/spreadsheets/constants.ts";
import { subjectOf } from "./pipeline.ts";
import type { Received } from "./route.ts";
import { receiveUpload, type UploadRules } from "./upload.ts";

const RULES: UploadRules = {
  isFile: (name) => name === LOGO_PART,
  fileBytesMax: LOGO_BYTES_MAX,
  filesMax: 1,
  totalBytesMax: 2 * LOGO_BYTES_MAX,
  tooLargeText: TEXTS.logoTooLarge,
};

export const receiveLogo = async (request: Request, { actor }: Ctx): Promise<Received> => {
  const { files, discard } = await receiveUpload(request, RULES, subjectOf(actor));
  return { input: { logo: files.get(LOGO_PART) }, discard };
};

const PIN_RULES: UploadRules = {
  isFile: (name) => /^pins\[\d{1,9}\]\[image\]$/.test(name),
  fileBytesMax: IMAGE_BYTES_MAX,
  filesMax: BULK_MAX,
  totalBytesMax: BULK_BYTES_MAX,
  tooLargeText: PIN_TEXTS.imageTooLarge,
};

export const receivePins = async (request: Request, ctx: FullCtx): Promise<Received> => {
  const { fields, files, discard } = await receiveUpload(request, PIN_RULES, subjectOf(ctx.actor), {
    keep: (file, texts) => saveReceivedFile(ctx, { accountId: texts.get("pinterest_account"), file }),
    onError: (error) => ctx.log.set({ salvage_problem: messageOf(error) }),
  });
  const idempotencyKey = request.headers.get(IDEMPOTENCY_HEADER);
  const input = { fields: Object.fromEntries(fields), files: Object.fromEntries(files), idempotencyKey };
  return { input, discard };
};

const IMAGE_RULES: UploadRules = {
  isFile: (name) => name === IMAGE_PART,
  fileBytesMax: IMAGE_BYTES_MAX,
  filesMax: 1,
  totalBytesMax: 2 * IMAGE_BYTES_MAX,
  tooLargeText: PIN_TEXTS.imageTooLarge,
};

/** One image, as the part {@link IMAGE_PART}. Other parts are named, so that a strict schema refuses them. */
export const receiveImage = async (request: Request, { actor }: Ctx): Promise<Received> => {
  const { fields, files, discard } = await receiveUpload(request, IMAGE_RULES, subjectOf(actor));
  return { input: { ...Object.fromEntries(fields), image: files.get(IMAGE_PART) }, discard };
};

const receiveFormat = async (request: Request, { actor }: Ctx, rules: UploadRules): Promise<Received> => {
  const { fields, files, discard } = await receiveUpload(request, rules, subjectOf(actor));
  const idempotencyKey = request.headers.get(IDEMPOTENCY_HEADER);
  const input = { fields: Object.fromEntries(fields), files: Object.fromEntries(files), idempotencyKey };
  return { input, discard };
};

/** The cover and the texts. */
const BESIDE_VIDEO_MAX = IMAGE_BYTES_MAX + 3_000_000;

const VIDEO_RULES: UploadRules = {
  isFile: (name) => name === VIDEO_PART || name === COVER_PART,
  fileBytesMax: VIDEO_BYTES_MAX,
  smaller: { [COVER_PART]: { bytesMax: IMAGE_BYTES_MAX, tooLargeText: PIN_TEXTS.imageTooLarge } },
  filesMax: 2,
  totalBytesMax: VIDEO_BYTES_MAX + BESIDE_VIDEO_MAX,
  tooLargeText: FORMAT_TEXTS.videoTooLarge,
};

/** A client may leave out the body's length; then the video is refused after it arrived. */
export const receiveVideo = (request: Request, ctx: Ctx): Promise<Received> => {
  const bytes = (Number(request.headers.get("content-length")) || 0) - BESIDE_VIDEO_MAX;
  const idempotencyKey = request.headers.get(IDEMPOTENCY_HEADER);
  const admit = () => expectVideo(ctx, { bytes, idempotencyKey });
  return receiveFormat(request, ctx, { ...VIDEO_RULES, admit });
};

const CAROUSEL_RULES: UploadRules = {
  isFile: (name) => /^slides\[\d\]$/.test(name),
  fileBytesMax: IMAGE_BYTES_MAX,
  filesMax: SLIDES_MAX,
  totalBytesMax: SLIDES_MAX * IMAGE_BYTES_MAX + 3_000_000,
  tooLargeText: PIN_TEXTS.imageTooLarge,
};

export const receiveCarousel = (request: Request, ctx: Ctx): Promise<Received> =>
  receiveFormat(request, ctx, CAROUSEL_RULES);

const SHEET_RULES: UploadRules = {
  isFile: (name) => name === SHEET_PART || name === IMAGES_PART,
  fileBytesMax: ZIP_BYTES_MAX,
  smaller: { [SHEET_PART]: { bytesMax: SHEET_BYTES_MAX, tooLargeText: SHEET_TEXTS.sheetTooLarge } },
  filesMax: 2,
  totalBytesMax: ZIP_BYTES_MAX + SHEET_BYTES_MAX + 3_000_000,
  tooLargeText: SHEET_TEXTS.zipTooLarge,
};

export const receiveSheet = async (request: Request, { actor }: Ctx): Promise<Received> => {
  const { fields, files, discard } = await receiveUpload(request, SHEET_RULES, subjectOf(actor));
  return { input: Object.fromEntries([...fields, ...files]), discard };
};
