import "server-only";
import type { Readable } from "node:stream";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { signedSecondsLeft } from "#lib/features/pins/image-urls.ts";
import type { ByteRange } from "#lib/integrations/storage/port.ts";
import type { VideoRequest } from "./schema.ts";

const VIDEO = /^videos\/[0-9a-f]{40}\.(mp4|mov)$/;

interface ServedVideo {
  body: Readable;
  status: 200 | 206;
  headers: Record<string, string>;
}

/** The bytes of `bytes=0-99`, `bytes=100-` or `bytes=-100`; undefined for a form that may be ignored. */
const rangeOf = (header: string | null, bytes: number): ByteRange | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(bytes - 1, Number(last));
  return start <= end ? { start, end } : undefined;
};

/** Opens a video for a player. @throws AppError `not_found`, also for an expired signature */
export const openStoredVideo = async (ctx: Ctx<"storage">, request: VideoRequest): Promise<ServedVideo> => {
  const { key, signed, range: header } = request;
  const seconds = VIDEO.test(key) && signed ? signedSecondsLeft(ctx, { key, ...signed }) : 0;
  const whole = seconds > 0 ? await ctx.storage.open(key) : null;
  if (!whole) throw new AppError("not_found");
  const range = rangeOf(header, whole.bytes);
  const headers = {
    "content-type": key.endsWith(".mov") ? "video/quicktime" : "video/mp4",
    "cache-control": `private, max-age=${seconds}, immutable`,
    "accept-ranges": "bytes",
  };
  if (!range) {
    return { body: whole.body, status: 200, headers: { ...headers, "content-length": String(whole.bytes) } };
  }
  whole.body.destroy();
  const part = await ctx.storage.open(key, range);
  if (!part) throw new AppError("not_found");
  const rangeHeaders = {
    "content-range": `bytes ${range.start}-${range.end}/${whole.bytes}`,
    "content-length": String(range.end - range.start + 1),
  };
  return { body: part.body, status: 206, headers: { ...headers, ...rangeHeaders } };
};
