import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
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
