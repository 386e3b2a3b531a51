import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hono } from "hono";
import sharp from "sharp";
import { isSimulating } from "../kit/faults.ts";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import { requireSection } from "./boards.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { isProcessed } from "./media.ts";
import { type Account, type Board, newId, type Pin, type Slide } from "./model.ts";
import { authorize, type Caller, readBody } from "./requests.ts";
import { type Pinterest, toWirePin } from "./wire.ts";

/** The supported fields of `PinCreate`. */
interface PinCreate {
  board_id?: string;
  board_section_id?: string | null;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
  media_source?: MediaSource;
  ai_disclosures?: { values: string[] } | null;
}

interface SentImage {
  content_type?: string | undefined;
  data?: string | undefined;
}

/** The supported fields of `PinMediaSource`. */
interface MediaSource extends SentImage {
  source_type: string;
  media_id?: string;
  cover_image_content_type?: string;
  cover_image_data?: string;
  items?: (SentImage & { title?: string; description?: string; link?: string })[];
}

export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/pins", async (c) => {
    const scopes = ["boards:read", "boards:write", "pins:read", "pins:write"];
    const caller = authorize(pinterest, c, "org_write", scopes);
    const { access, environment } = pinterest.settings;
    if (access === "trial" && environment === "production") throw new ApiError(ERRORS.trialAccess);
    const pin = await preparePin(pinterest, caller, await readBody(pinterest, c, "/pins"));
    const isRewriting = isSimulating(c, "rewritten-after-creating");
    if (isRewriting) Object.assign(pin, { title: "An idea to save", description: "Ideas from this board." });
    pinterest.store.append({ kind: "pin", pin });
    c.set("created", pin.id);
    const status = isSimulating(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, pinterest.store.state, originOf(c)), status);
  });
  return app;
}

/** A new pin whose images are stored, but not yet the pin. @throws ApiError with the documented code. */
async function preparePin(pinterest: Pinterest, caller: Caller, request: PinCreate): Promise<Pin> {
  const { title = null, description = null, link = null, alt_text = null } = request;
  const readPlace = () => {
    const board = writableBoard(pinterest, caller, request.board_id);
    const section = request.board_section_id ? requireSection(board, request.board_section_id) : null;
    return { boardId: board.id, boardSectionId: section?.id ?? null };
  };
  readPlace();
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) throw new ApiError(ERRORS.linkInvalid);
  if (request.media_source === undefined) {
    throw new ApiError(invalidRequest("body must have required property 'media_source'"));
  }
  const id = newId((taken) => pinterest.store.state.pins.has(taken));
  const media = await storeMedia(pinterest, caller.account, request.media_source, id);
  return {
    ...{ id, accountId: caller.account.id, title, description, link, altText: alt_text },
    // Again, because images take time, and the board may be gone.
    ...readPlace(),
    dominantColor: request.dominant_color ?? null,
    aiDisclosures: request.ai_disclosures ?? null,
    ...media,
    createdAt: pinterest.clock.now().toISOString(),
  };
}

function writableBoard({ store }: Pinterest, { account, scopes }: Caller, boardId: string | undefined): Board {
  if (boardId === undefined) throw new ApiError(invalidRequest("body must have required property 'board_id'"));
  const board = store.state.boards.get(boardId);
  if (board === undefined) throw new ApiError(ERRORS.boardNotFound);
  const isSecretToCaller = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isSecretToCaller) throw new ApiError(ERRORS.notPermitted);
  return board;
}

type PinMedia = Pick<Pin, "image" | "video" | "slides">;

async function storeMedia(pinterest: Pinterest, account: Account, source: MediaSource, id: string): Promise<PinMedia> {
  switch (source.source_type) {
    case "image_base64":
      return { image: storeImage(pinterest, await readImage(source), id) };
    case "video_id":
      return storeVideoPin(pinterest, account, source, id);
    case "multiple_image_base64":
      return storeCarousel(pinterest, source, id);
    default:
      throw new ApiError(invalidRequest(`media_source '${source.source_type}' is not supported by this stand-in`));
  }
}

async function storeVideoPin(pinterest: Pinterest, account: Account, source: MediaSource, id: string) {
  const media = pinterest.store.state.media.get(source.media_id ?? "");
  if (media?.accountId !== account.id) throw new ApiError(invalidRequest("media_id is unknown"));
  if (media.video === undefined || !isProcessed(pinterest, media)) {
    throw new ApiError(invalidRequest("media_id is not processed"));
  }
  if (source.cover_image_data === undefined) {
    throw new ApiError(invalidRequest("a video needs cover_image_data; this stand-in supports no other cover"));
  }
  const cover = { content_type: source.cover_image_content_type, data: source.cover_image_data };
  return { image: storeImage(pinterest, await readImage(cover), id), video: media.video };
}

async function storeCarousel(pinterest: Pinterest, { items = [] }: MediaSource, id: string): Promise<PinMedia> {
  const images: SentImageFile[] = [];
  for (const item of items) images.push(await readImage(item));
  if (new Set(images.map(({ size }) => `${size.widthPx}x${size.heightPx}`)).size > 1) {
    throw new ApiError(invalidRequest("all images of a carousel must have the same dimensions"));
  }
  const slides = images.map((image, index): Slide => {
    const { title = null, description = null, link = null } = items[index] ?? {};
    const stored = storeImage(pinterest, image, index === 0 ? id : `${id}-${index + 1}`);
    return { title, description, link, image: stored };
  });
  const [first] = slides;
  if (first === undefined) throw new ApiError(invalidRequest("media_source has no items"));
  return { image: first.image, slides };
}

/** Written to a temporary file first, so that a crash leaves a whole image or none. */
function storeImage({ mediaFolder }: Pinterest, image: SentImageFile, name: string): Pin["image"] {
  const { bytes, contentType, size } = image;
  const file = `${name}.${contentType === "image/png" ? "png" : "jpg"}`;
  mkdirSync(mediaFolder, { recursive: true });
  const path = join(mediaFolder, file);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
  return { file, contentType, ...size };
}

/** The types that Pinterest accepts as base64, and how their files end. */
const TYPES = {
  png: { contentType: "image/png", end: Buffer.from("IEND", "latin1") },
  jpeg: { contentType: "image/jpeg", end: Buffer.from([0xff, 0xd9]) },
} as const;
/** Some cameras pad after the end. An earlier one may belong to an embedded preview. */
const PADDING_BYTES = 64;
const MIN_WIDTH_PX = 200;
const MIN_HEIGHT_PX = 300;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

type SentImageFile = Awaited<ReturnType<typeof readImage>>;

/** Checks a complete base64 image. @throws ApiError with the documented code. */
async function readImage({ content_type, data = "" }: SentImage) {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > MAX_IMAGE_BYTES) throw new ApiError(invalidRequest("media_source.data is too large"));
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch((cause: unknown) => {
      throw new ApiError(ERRORS.imageBroken, { cause });
    });
  const type = format === "png" || format === "jpeg" ? TYPES[format] : undefined;
  const isWhole = type !== undefined && bytes.subarray(format === "jpeg" ? -PADDING_BYTES : 0).includes(type.end);
  if (!isWhole || type.contentType !== content_type) throw new ApiError(ERRORS.imageBroken);
  if (width < MIN_WIDTH_PX || height < MIN_HEIGHT_PX) throw new ApiError(ERRORS.imageTooSmall);
  return { bytes, contentType: type.contentType, size: { widthPx: width, heightPx: height } };
}
