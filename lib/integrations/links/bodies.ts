import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
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

/** The same into memory, for small bodies. */
export const readBody = async (
  response: IncomingMessage,
  bytesMax: number,
): Promise<{ kind: "read"; bytes: Buffer } | { kind: "too_large" | "no_answer" }> => {
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
    await pipeline(response, collect);
  } catch (error) {
    if (isLocalFault(error)) throw error;
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

/** Whether a body is a gzip file, as sitemaps may be, or was compressed although we asked for none of that. */
const isGzip = ({ headers }: IncomingMessage, url: URL): boolean =>
  /gzip/i.test(headers["content-encoding"] ?? "") ||
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
  try {
    if (isGzip(response, url)) await pipeline(response, createGunzip(), pass);
    else await pipeline(response, pass);
  } catch (error) {
    if (/^Z_/.test(codeOf(error))) return "not_page";
    if (!isEnough) return bytes > bytesMax ? "too_large" : "no_answer";
  }
  if (thrown !== null) throw (thrown as { error: unknown }).error;
  return !isEnough && bytes > bytesMax ? "too_large" : "read";
};
