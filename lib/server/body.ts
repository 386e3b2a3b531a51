import "server-only";
import { AppError } from "#lib/core/errors.ts";

const MAX_BODY_BYTES = 1_000_000;

/** @throws AppError `too_large` as soon as it exceeds `bytesMax` */
export const readBytes = async (request: Request, bytesMax = MAX_BODY_BYTES): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new AppError("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
