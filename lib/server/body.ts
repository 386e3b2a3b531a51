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

/** @throws AppError `invalid` unless it is JSON in UTF-8 */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AppError("invalid", { text: "The body is not valid JSON.", cause: error });
  }
};
