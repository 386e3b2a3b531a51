import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hono } from "hono";
import { isSimulating } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { requireSection } from "./boards.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { type Board, newId, type Pin } from "./model.ts";
import { authorize, type Caller } from "./requests.ts";
import { originOf, type Pinterest, toWirePin } from "./wire.ts";

/** Type and size of an image, read from its bytes. */
type ImageFacts = Omit<Pin["image"], "file">;

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from("IEND", "latin1");
const JPEG_START = 0xffd8;
const JPEG_END = Buffer.from([0xff, 0xd9]);
/** Some cameras pad after the end marker. An earlier marker may belong to an embedded preview. */
const PADDING_BYTES = 64;

/** Reads type and size from the bytes; undefined unless they are a complete JPEG or PNG. */
function readImage(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 24) return undefined;
  if (bytes.subarray(0, 8).equals(PNG_START)) return readPng(bytes);
  return bytes.readUInt16BE(0) === JPEG_START ? readJpeg(bytes) : undefined;
}

function readPng(bytes: Buffer): ImageFacts | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR" || bytes.lastIndexOf(PNG_END) === -1) return undefined;
  return { contentType: "image/png", widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) };
}

/** Walks the segments to the frame header. The end marker must exist, or the upload was truncated. */
function readJpeg(bytes: Buffer): ImageFacts | undefined {
  if (bytes.subarray(-PADDING_BYTES).lastIndexOf(JPEG_END) === -1) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (isFrameHeader(marker)) {
      return { contentType: "image/jpeg", heightPx: bytes.readUInt16BE(at + 5), widthPx: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15, except three in that range: Huffman tables, extensions, arithmetic coding. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const MIN_WIDTH_PX = 200;
const MIN_HEIGHT_PX = 300;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** The supported fields of `PinCreate`. */
interface PinCreate {
  board_id?: string;
  board_section_id?: string | null;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
  media_source?: { source_type: string; content_type?: string; data?: string };
  ai_disclosures?: { values: string[] } | null;
}

/**
 * Publishes a pin: validates the request as Pinterest would, stores the image, then the pin.
 * @throws ApiError with the documented code.
 */
function createPin(pinterest: Pinterest, caller: Caller, query: Record<string, string>, text: string): Pin {
  const { access, environment } = pinterest.settings;
  if (access === "trial" && environment === "production") throw new ApiError(ERRORS.trialAccess);
  const request = readRequest(pinterest, query, text);
  const { title = null, description = null, link = null, alt_text = null } = request;
  const board = writableBoard(pinterest, caller, request.board_id);
  const section = request.board_section_id ? requireSection(board, request.board_section_id) : null;
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) throw new ApiError(ERRORS.linkInvalid);
  const { bytes, facts } = readUpload(request.media_source);
  const id = newId((taken) => pinterest.store.state.pins.has(taken));
  const file = `${id}.${facts.contentType === "image/png" ? "png" : "jpg"}`;
  storeImage(pinterest.mediaFolder, file, bytes);
  const pin: Pin = {
    ...{ id, accountId: caller.account.id, boardId: board.id, title, description, link, altText: alt_text },
    boardSectionId: section?.id ?? null,
    dominantColor: request.dominant_color ?? null,
    aiDisclosures: request.ai_disclosures ?? null,
    image: { file, ...facts },
    createdAt: pinterest.clock.now().toISOString(),
  };
  pinterest.store.commit({ kind: "pin", pin });
  return pin;
}

function readRequest({ spec }: Pinterest, query: Record<string, string>, text: string): PinCreate {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ApiError(invalidRequest("body is not JSON"), { cause });
  }
  const result = spec.check("POST", "/pins", { query, body });
  if (!result.ok) throw new ApiError(invalidRequest(result.errors[0] ?? "body"));
  // Just checked against the description.
  return body as PinCreate;
}

function writableBoard({ store }: Pinterest, { account, scopes }: Caller, boardId: string | undefined): Board {
  if (boardId === undefined) throw new ApiError(invalidRequest("body must have required property 'board_id'"));
  const board = store.state.boards.get(boardId);
  if (board === undefined) throw new ApiError(ERRORS.boardNotFound);
  const isSecretToCaller = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isSecretToCaller) throw new ApiError(ERRORS.notPermitted);
  return board;
}

function readUpload(source: PinCreate["media_source"]): { bytes: Buffer; facts: ImageFacts } {
  if (source === undefined) throw new ApiError(invalidRequest("body must have required property 'media_source'"));
  if (source.source_type !== "image_base64" || source.data === undefined) {
    throw new ApiError(invalidRequest(`media_source '${source.source_type}' is not supported by this stand-in`));
  }
  const bytes = Buffer.from(source.data, "base64");
  if (bytes.length > MAX_IMAGE_BYTES) throw new ApiError(invalidRequest("media_source.data is too large"));
  const facts = readImage(bytes);
  if (facts === undefined || facts.contentType !== source.content_type) throw new ApiError(ERRORS.imageBroken);
  if (facts.widthPx < MIN_WIDTH_PX || facts.heightPx < MIN_HEIGHT_PX) {
    throw new ApiError(ERRORS.imageTooSmall);
  }
  return { bytes, facts };
}

/** Written to a temporary file first, so that a crash leaves a whole image or none. */
function storeImage(folder: string, file: string, bytes: Buffer): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}

/** `POST /pins`. */
export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/pins", async (c) => {
    const scopes = ["boards:read", "boards:write", "pins:read", "pins:write"];
    const caller = authorize(pinterest, c, "org_write", scopes);
    const pin = createPin(pinterest, caller, c.req.query(), await c.req.text());
    c.set("created", pin.id);
    const status = isSimulating(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, pinterest.store.state, originOf(c)), status);
  });
  return app;
}
