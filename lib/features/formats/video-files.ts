import "server-only";
import { type FileHandle, open } from "node:fs/promises";
import { SECOND_MS } from "#lib/core/time.ts";
import { VIDEO_MAX_MS, VIDEO_MIN_MS, type VideoFault } from "./constants.ts";
import { fragmentsMs, type Track } from "./video-fragments.ts";

export interface VideoFacts {
  contentType: "video/mp4" | "video/quicktime";
  durationMs: number;
}

type InspectedVideo = ({ kind: "video" } & VideoFacts) | { kind: "refused"; fault: VideoFault };

/** A box (also "atom") of the file: `start` and `end` of its content, in bytes. */
interface Box {
  type: string;
  start: number;
  end: number;
}

/** Above what real files have; a crafted file ends the search. */
const BOXES_MAX = 10_000;
const HEADER_BYTES = 16;
/** Containers that are searched for the facts. */
const CONTAINERS = new Set(["moov", "trak", "mdia", "mvex"]);
const QUICKTIME_BRAND = "qt  ";
const VIDEO_BRANDS = /^(iso[m2-9]|mp4[12]|mp7[1-9]|avc1|hvc1|hev1|dash|msdh|msnv|mmp4|f4v |m4v|ndsc|3g[2gp]|xavc)/i;
/** Old QuickTime files have no `ftyp`. */
const UNBRANDED_STARTS = new Set(["moov", "mdat", "wide", "free", "skip"]);

const readAt = async (file: FileHandle, at: number, bytes: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
};

/** Null when the header does not fit. Size 0 means up to the end, and 1 that a 64-bit size follows. */
const readBox = async (file: FileHandle, at: number, limit: number): Promise<Box | null> => {
  const header = await readAt(file, at, HEADER_BYTES);
  if (header.length < 8) return null;
  const short = header.readUInt32BE(0);
  const isLong = short === 1;
  if (isLong && header.length < HEADER_BYTES) return null;
  const size = isLong ? Number(header.readBigUInt64BE(8)) : short === 0 ? limit - at : short;
  const start = at + (isLong ? 16 : 8);
  return at + size < start || at + size > limit
    ? null
    : { type: header.toString("latin1", 4, 8), start, end: at + size };
};

interface Found {
  timescale: number;
  /** In units of the timescale. `null`: unknown. */
  duration: number | null;
  /** Of a fragmented movie as a whole. */
  fragmentDuration: number | null;
  tracks: Track[];
  fragments: { first: Box; last: Box } | null;
  hasMovie: boolean;
  hasPicture: boolean;
  isDamaged: boolean;
  /** Whether the file has more boxes than are searched. */
  isCut: boolean;
}

/** The fields of `mvhd`: version 1 has 64-bit times. All bits set means an unknown duration. */
const readMovieHeader = (content: Buffer): Pick<Found, "timescale" | "duration"> | null => {
  const isLong = content[0] === 1;
  if (content.length < (isLong ? 32 : 20)) return null;
  const timescale = content.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(content.readBigUInt64BE(24)) : content.readUInt32BE(16);
  const isUnknown = isLong ? content.readBigUInt64BE(24) === 0xffff_ffff_ffff_ffffn : duration === 0xffff_ffff;
  return { timescale, duration: isUnknown ? null : duration };
};

const FACT_BYTES = 40;

/** Facts by which the length of a fragmented movie is found. Version 1 of `tkhd` and `mdhd` has 64-bit times. */
const readTrackFacts = (type: string, content: Buffer, { tracks }: Found): void => {
  const track = tracks.at(-1);
  const at = content[0] === 1 ? 20 : 12;
  if (track && type === "tkhd" && content.length >= at + 4) track.id = content.readUInt32BE(at);
  if (track && type === "mdhd" && content.length >= at + 4) track.timescale = content.readUInt32BE(at);
  if (type !== "trex" || content.length < 16) return;
  const own = tracks.find(({ id }) => id === content.readUInt32BE(4));
  if (own) own.sampleDuration = content.readUInt32BE(12);
};

const FACT_BOXES = new Set(["mvhd", "mehd", "hdlr", "tkhd", "mdhd", "trex"]);

const readFacts = async (file: FileHandle, box: Box, found: Found): Promise<void> => {
  const { type, start, end } = box;
  if (type === "moov") found.hasMovie = true;
  if (type === "trak") found.tracks.push({ id: 0, timescale: 0, sampleDuration: 0 });
  if (type === "moof") found.fragments = { first: found.fragments?.first ?? box, last: box };
  if (!FACT_BOXES.has(type)) return;
  const content = await readAt(file, start, Math.min(FACT_BYTES, end - start));
  if (type === "mvhd") Object.assign(found, readMovieHeader(content));
  if (type === "mehd" && content.length >= 8) {
    found.fragmentDuration =
      content[0] === 1 && content.length >= 12 ? Number(content.readBigUInt64BE(4)) : content.readUInt32BE(4);
  }
  readTrackFacts(type, content, found);
  if (type === "hdlr" && content.toString("latin1", 8, 12) === "vide") found.hasPicture = true;
};

/** Walks the boxes without reading media: containers are entered, everything else is skipped. */
const walk = async (file: FileHandle, fileBytes: number): Promise<Found> => {
  const found: Found = {
    ...{ timescale: 0, duration: 0, fragmentDuration: null, tracks: [], fragments: null },
    ...{ hasMovie: false, hasPicture: false, isDamaged: false, isCut: false },
  };
  const open: { at: number; end: number }[] = [{ at: 0, end: fileBytes }];
  for (let boxes = 0; open.length > 0 && boxes < BOXES_MAX; boxes += 1) {
    const level = open.at(-1);
    if (!level) break;
    if (level.end - level.at < 8) {
      open.pop();
      continue;
    }
    const box = await readBox(file, level.at, level.end);
    if (!box) return { ...found, isDamaged: true };
    level.at = box.end;
    await readFacts(file, box, found);
    if (CONTAINERS.has(box.type)) open.push({ at: box.start, end: box.end });
  }
  return { ...found, isCut: open.length > 0 };
};

const contentTypeOf = (head: Buffer): VideoFacts["contentType"] | null => {
  const type = head.toString("latin1", 4, 8);
  if (UNBRANDED_STARTS.has(type)) return "video/quicktime";
  if (type !== "ftyp") return null;
  const text = head.subarray(0, Math.min(head.length, head.readUInt32BE(0))).toString("latin1");
  const brands = [text.slice(8, 12), ...(text.slice(16).match(/.{4}/gs) ?? [])];
  if (brands[0] === QUICKTIME_BRAND) return "video/quicktime";
  return brands.some((brand) => VIDEO_BRANDS.test(brand)) ? "video/mp4" : null;
};

const HEAD_BYTES = 256;

/** More than the header of a one-minute fragment needs. Longer headers are ignored. */
const MOOF_BYTES_MAX = 2_000_000;

const readMoof = async (file: FileHandle, { start, end }: Box): Promise<Buffer> =>
  end - start > MOOF_BYTES_MAX ? Buffer.alloc(0) : readAt(file, start, end - start);

/** Null when the file doesn't say it. The header of a fragmented movie may only count what is before its fragments. */
const durationOf = async (file: FileHandle, found: Found): Promise<number | null> => {
  const { timescale, duration, fragmentDuration, fragments, tracks } = found;
  if (timescale === 0) return 0;
  const units = Math.max(duration ?? 0, fragmentDuration ?? 0);
  const stated = Math.round((units / timescale) * SECOND_MS);
  if (!fragments) return duration === null && fragmentDuration === null ? null : stated;
  const [first, last] = [await readMoof(file, fragments.first), await readMoof(file, fragments.last)];
  const read = fragmentsMs(first, last, tracks);
  return Math.max(stated, read ?? 0) || read;
};

const faultOf = (found: Found, durationMs: number | null): VideoFault | null => {
  if (!found.hasMovie || found.timescale === 0) return "broken";
  // What was not searched may be more of it.
  if (found.isCut && (durationMs ?? 0) <= VIDEO_MAX_MS) return "unknown_length";
  if (!found.hasPicture) return "no_picture";
  if (durationMs === null) return "unknown_length";
  if (durationMs === 0) return "no_length";
  if (found.isDamaged) return "broken";
  if (durationMs < VIDEO_MIN_MS) return "too_short";
  return durationMs > VIDEO_MAX_MS ? "too_long" : null;
};

/** Reads the type and length of a video from its boxes, whatever its name; holds at most a few MB. */
export const inspectVideo = async (path: string): Promise<InspectedVideo> => {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size === 0) return { kind: "refused", fault: "empty" };
    const head = await readAt(file, 0, HEAD_BYTES);
    const contentType = head.length < 8 ? null : contentTypeOf(head);
    if (!contentType) return { kind: "refused", fault: "not_a_video" };
    const found = await walk(file, size);
    const durationMs = await durationOf(file, found);
    const fault = faultOf(found, durationMs);
    return fault || durationMs === null
      ? { kind: "refused", fault: fault ?? "unknown_length" }
      : { kind: "video", contentType, durationMs };
  } finally {
    await file.close();
  }
};
