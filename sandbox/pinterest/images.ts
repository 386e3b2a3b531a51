import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import type { Pin } from "./model.ts";

/** Type and size of an image, read from its bytes. */
export type ImageFacts = Omit<Pin["image"], "file">;

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

/** Smaller images are refused. */
const MIN_WIDTH_PX = 200;
const MIN_HEIGHT_PX = 300;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** An image as it is sent in a request. */
export interface SentImage {
  content_type?: string | undefined;
  data?: string | undefined;
}

/** Checks a base64 image. @throws ApiError with the documented code. */
export function readSentImage({ content_type, data = "" }: SentImage): { bytes: Buffer; facts: ImageFacts } {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > MAX_IMAGE_BYTES) throw new ApiError(invalidRequest("media_source.data is too large"));
  const facts = readImage(bytes);
  if (facts === undefined || facts.contentType !== content_type) throw new ApiError(ERRORS.imageBroken);
  if (facts.widthPx < MIN_WIDTH_PX || facts.heightPx < MIN_HEIGHT_PX) {
    throw new ApiError(ERRORS.imageTooSmall);
  }
  return { bytes, facts };
}

/** The extension of an image's file. */
export function extensionOf({ contentType }: ImageFacts): string {
  return contentType === "image/png" ? "png" : "jpg";
}

/** Written to a temporary file first, so that a crash leaves a whole image or none. */
export function storeImage(folder: string, file: string, bytes: Buffer): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}
