import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize, type Caller } from "./authorize.ts";
import { type Board, newId, type PictureType, type Pin } from "./model.ts";
import { invalidRequest, parseJson, REFUSALS, RefusedError } from "./refusals.ts";
import { originOf, type Pinterest, toWirePin } from "./wire.ts";

/** What the first bytes of a picture say about it. */
interface PictureFacts {
  contentType: PictureType;
  widthPx: number;
  heightPx: number;
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from("IEND", "latin1");
const JPEG_START = 0xffd8;
const JPEG_END = Buffer.from([0xff, 0xd9]);
/** Some cameras pad behind the end marker. An earlier one may belong to an embedded preview. */
const PADDING_BYTES = 64;

/** Reads type and size from the bytes themselves; undefined when they are no whole JPEG or PNG. */
function readPicture(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length < 24) return undefined;
  if (bytes.subarray(0, 8).equals(PNG_START)) return readPng(bytes);
  return bytes.readUInt16BE(0) === JPEG_START ? readJpeg(bytes) : undefined;
}

function readPng(bytes: Buffer): PictureFacts | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR" || bytes.lastIndexOf(PNG_END) === -1) return undefined;
  return { contentType: "image/png", widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) };
}

/** Walks the segments to the frame header; the end marker must be there too, or the upload was cut. */
function readJpeg(bytes: Buffer): PictureFacts | undefined {
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

/** SOF0 to SOF15 but for the three that share the range: Huffman tables, extensions, arithmetic coding. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const LEAST_WIDTH_PX = 200;
const LEAST_HEIGHT_PX = 300;
const MOST_PICTURE_BYTES = 20 * 1024 * 1024;

/** The fields of `PinCreate` that the stand-in keeps. */
interface PinCreate {
  board_id?: string;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
  media_source?: { source_type: string; content_type?: string; data?: string };
  ai_disclosures?: { values: string[] } | null;
}

/**
 * Publishes a pin: checks the request as Pinterest would, stores the picture, then writes the pin down.
 * @throws RefusedError with the documented code for each thing that can be wrong.
 */
function createPin(pinterest: Pinterest, caller: Caller, query: Record<string, string>, body: unknown): Pin {
  const { access, environment } = pinterest.settings;
  if (access === "trial" && environment === "production") throw new RefusedError(REFUSALS.trialAccess);
  const request = checkShape(pinterest, query, body);
  const board = writableBoard(pinterest, caller, request.board_id);
  if (request.link !== undefined && request.link !== null && !isWebAddress(request.link)) {
    throw new RefusedError(REFUSALS.linkInvalid);
  }
  const { bytes, facts } = readUpload(request.media_source);
  const id = newId((taken) => pinterest.store.state.pins.has(taken));
  const file = `${id}.${facts.contentType === "image/png" ? "png" : "jpg"}`;
  storePicture(pinterest.mediaFolder, file, bytes);
  const pin: Pin = {
    id,
    accountId: caller.account.id,
    boardId: board.id,
    title: request.title ?? null,
    description: request.description ?? null,
    link: request.link ?? null,
    altText: request.alt_text ?? null,
    dominantColor: request.dominant_color ?? null,
    aiDisclosures: request.ai_disclosures ?? null,
    picture: { file, ...facts },
    createdAt: pinterest.clock.now().toISOString(),
  };
  pinterest.store.commit({ kind: "pin", pin });
  return pin;
}

function checkShape({ spec }: Pinterest, query: Record<string, string>, body: unknown): PinCreate {
  const result = spec.check("POST", "/pins", { query, body });
  if (!result.ok) throw new RefusedError(invalidRequest(result.errors[0] ?? "body"));
  return checkedBody(body);
}

function writableBoard({ store }: Pinterest, { account, scopes }: Caller, boardId: string | undefined): Board {
  if (boardId === undefined) throw new RefusedError(invalidRequest("body must have required property 'board_id'"));
  const board = store.state.boards.get(boardId);
  if (board === undefined) throw new RefusedError(REFUSALS.boardGone);
  const isSecretToCaller = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isSecretToCaller) throw new RefusedError(REFUSALS.notPermitted);
  return board;
}

function readUpload(source: PinCreate["media_source"]): { bytes: Buffer; facts: PictureFacts } {
  if (source === undefined) throw new RefusedError(invalidRequest("body must have required property 'media_source'"));
  if (source.source_type !== "image_base64" || source.data === undefined) {
    throw new RefusedError(invalidRequest(`media_source '${source.source_type}' is not played by this stand-in`));
  }
  const bytes = Buffer.from(source.data, "base64");
  if (bytes.length > MOST_PICTURE_BYTES) throw new RefusedError(invalidRequest("media_source.data is too large"));
  const facts = readPicture(bytes);
  if (facts === undefined || facts.contentType !== source.content_type) throw new RefusedError(REFUSALS.imageBroken);
  if (facts.widthPx < LEAST_WIDTH_PX || facts.heightPx < LEAST_HEIGHT_PX) {
    throw new RefusedError(REFUSALS.imageTooSmall);
  }
  return { bytes, facts };
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}

/** Written aside first: after a crash a picture is there whole or not at all. */
function storePicture(folder: string, file: string, bytes: Buffer): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}

/** The description has just been checked. */
function checkedBody(body: unknown): PinCreate {
  return body as PinCreate;
}

const WRITE = {
  scopes: ["boards:read", "boards:write", "pins:read", "pins:write"],
  category: "org_write",
} as const;
/** `POST /pins`. */
export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store } = pinterest;
  const app = createApp();
  app.post("/pins", async (c) => {
    const caller = authorize(pinterest, c, WRITE);
    const pin = createPin(pinterest, caller, c.req.query(), parseJson(await c.req.text()));
    c.set("created", pin.id);
    const status = isPlaying(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, store.state, originOf(pinterest, c)), status);
  });
  return app;
}

/** The caller's own pin. @throws RefusedError 404/50 when there is none, 403/29 when it is another's. */
export function ownPin({ store }: Pinterest, { account }: Caller, id: string): Pin {
  const pin = store.state.pins.get(id);
  if (pin === undefined) throw new RefusedError(REFUSALS.pinGone);
  if (pin.accountId !== account.id) throw new RefusedError(REFUSALS.notPermitted);
  return pin;
}
