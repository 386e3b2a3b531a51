import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { decodePieces } from "./decoding.ts";
import { codeOf } from "./targets.ts";

/** Errors of our disk, such as a full one; others are the site's. */
const isLocalFault = (error: unknown): boolean =>
  /^(ENOSPC|EACCES|EEXIST|EIO|EMFILE|ENOENT|EROFS)$/.test(codeOf(error));

/** Stops as soon as there are more bytes than allowed, whatever the site announced. @throws errors of our disk */
export const saveBody = async (
  response: IncomingMessage,
  { path, bytesMax }: { path: string; bytesMax: number },
): Promise<{ kind: "fetched"; bytes: number } | { kind: "too_large" | "no_answer" }> => {
  let bytes = 0;
  const bounded = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return;
      yield chunk;
    }
  };
  try {
    await pipeline(response, bounded, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    if (bytes <= bytesMax && codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE" && isLocalFault(error)) throw error;
    return { kind: bytes > bytesMax ? "too_large" : "no_answer" };
  }
  return bytes > bytesMax ? { kind: "too_large" } : { kind: "fetched", bytes };
};

const INFLATERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** For sites that compress although we ask for none of that. Null for a plain body, undefined for other encodings. */
const inflaterOf = ({ headers }: IncomingMessage): Transform | null | undefined => {
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return null;
  return Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding]?.() : undefined;
};

/** What zlib and Brotli say about a body that isn't what its headers promise. */
const isMalformed = (error: unknown): boolean => /^(Z_|ERR_BROTLI|ERR__ERROR)/.test(codeOf(error));

/** The same into memory. Counts the bytes after decompression, so a small body can't become a large one. */
export const readBody = async (
  response: IncomingMessage,
  bytesMax: number,
): Promise<{ kind: "read"; bytes: Buffer } | { kind: "too_large" | "no_answer" | "not_page" }> => {
  const inflater = inflaterOf(response);
  if (inflater === undefined) return { kind: "not_page" };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return;
      chunks.push(chunk);
    }
  };
  try {
    await (inflater ? pipeline(response, inflater, collect) : pipeline(response, collect));
  } catch (error) {
    if (isLocalFault(error)) throw error;
    if (isMalformed(error)) return { kind: "not_page" };
    return { kind: bytes > bytesMax ? "too_large" : "no_answer" };
  }
  return bytes > bytesMax ? { kind: "too_large" } : { kind: "read", bytes: Buffer.concat(chunks) };
};

/** The first bytes as text, or as many as came before the connection broke. Without NUL, which databases refuse. */
export const readExcerpt = async (response: IncomingMessage, bytesMax: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= bytesMax) break;
    }
  } catch (error) {
    // The status counts, whatever became of the body.
    if (isLocalFault(error)) throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax), { stream: true });
  return text.replaceAll("\0", "");
};

/** Whether a body is a gzip file, as sitemaps may be. */
const isGzip = ({ headers }: IncomingMessage, url: URL): boolean =>
  /gzip/i.test(headers["content-type"] ?? "") ||
  (/\.gz$/i.test(url.pathname) && !/^\s*(text\/|application\/xml)/i.test(headers["content-type"] ?? ""));

/** Passes a text on piece by piece, so that a large one takes no memory. @throws what `onText` throws */
export const streamBody = async (
  response: IncomingMessage,
  { url, bytesMax, onText }: { url: URL; bytesMax: number; onText: (text: string) => boolean },
): Promise<"read" | "too_large" | "no_answer" | "not_page"> => {
  let bytes = 0;
  let isEnough = false;
  let thrown: { error: unknown } | null = null;
  const bounded = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return;
      yield chunk;
    }
  };
  const pass = async (chunks: AsyncIterable<Buffer>) => {
    for await (const text of decodePieces(bounded(chunks), response.headers["content-type"] ?? "")) {
      try {
        if (onText(text)) continue;
      } catch (error) {
        thrown = { error };
      }
      isEnough = true;
      return;
    }
  };
  // Feeds with odd encodings, such as `UTF-8`, are usually plain.
  const inflater = inflaterOf(response) ?? (isGzip(response, url) ? createGunzip() : null);
  try {
    await (inflater ? pipeline(response, inflater, pass) : pipeline(response, pass));
  } catch (error) {
    if (isMalformed(error)) return "not_page";
    if (!isEnough) return bytes > bytesMax ? "too_large" : "no_answer";
  }
  if (thrown !== null) throw (thrown as { error: unknown }).error;
  return !isEnough && bytes > bytesMax ? "too_large" : "read";
};
