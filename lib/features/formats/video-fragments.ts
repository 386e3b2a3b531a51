import "server-only";
import { SECOND_MS } from "#lib/core/time.ts";

/** A track of the movie. `timescale`: units per second. `sampleDuration`: of samples that don't say theirs, in units. */
export interface Track {
  id: number;
  timescale: number;
  sampleDuration: number;
}

interface Box {
  type: string;
  content: Buffer;
}

/** The boxes in a box's content, up to the first damaged one. */
const boxesIn = (content: Buffer): Box[] => {
  const boxes: Box[] = [];
  let at = 0;
  while (at + 8 <= content.length) {
    const size = content.readUInt32BE(at);
    if (size < 8 || at + size > content.length) break;
    boxes.push({ type: content.toString("latin1", at + 4, at + 8), content: content.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
};

/** `tfhd`: the track, and the default duration of the fragment's samples, if it has one. */
const readHeader = (content: Buffer): { trackId: number; sampleDuration: number | null } | null => {
  if (content.length < 8) return null;
  const flags = content.readUIntBE(1, 3);
  const at = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0);
  const hasDuration = (flags & 0x8) !== 0 && content.length >= at + 4;
  return { trackId: content.readUInt32BE(4), sampleDuration: hasDuration ? content.readUInt32BE(at) : null };
};

/** `tfdt`: when the fragment starts, in units of the track. */
const readStart = (content: Buffer): number | null => {
  if (content[0] === 1) return content.length >= 12 ? Number(content.readBigUInt64BE(4)) : null;
  return content.length >= 8 ? content.readUInt32BE(4) : null;
};

/** `trun`: the total duration of its samples, in units of the track. */
const readRun = (content: Buffer, sampleDuration: number): number => {
  if (content.length < 8) return 0;
  const [flags, count] = [content.readUIntBE(1, 3), content.readUInt32BE(4)];
  if (!(flags & 0x100)) return count * sampleDuration;
  const first = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  const bytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  let units = 0;
  for (let at = first; at + bytes <= content.length && at < first + count * bytes; at += bytes) {
    units += content.readUInt32BE(at);
  }
  return units;
};

interface Span {
  startMs: number;
  endMs: number;
}

/** Null without a start, or for an unknown track. */
const readTrackFragment = (traf: Buffer, tracks: readonly Track[]): Span | null => {
  const boxes = boxesIn(traf);
  const contentOf = (type: string) => boxes.find((box) => box.type === type)?.content ?? Buffer.alloc(0);
  const [header, start] = [readHeader(contentOf("tfhd")), readStart(contentOf("tfdt"))];
  const track = tracks.find(({ id }) => id === header?.trackId);
  if (!header || !track || track.timescale === 0 || start === null) return null;
  const sampleDuration = header.sampleDuration ?? track.sampleDuration;
  const runs = boxes.filter(({ type }) => type === "trun");
  const units = runs.reduce((sum, { content }) => sum + readRun(content, sampleDuration), 0);
  const toMs = (value: number) => (value / track.timescale) * SECOND_MS;
  return { startMs: toMs(start), endMs: toMs(start + units) };
};

const spansOf = (moof: Buffer, tracks: readonly Track[]): Span[] =>
  boxesIn(moof).flatMap(({ type, content }) => (type === "traf" && readTrackFragment(content, tracks)) || []);

/**
 * The length of a fragmented video in milliseconds, from the start of its first fragment to the end of its last.
 * @param first content of the first `moof` box; `last`: of the last one
 * @returns null when the fragments don't say when they start
 */
export const fragmentsMs = (first: Buffer, last: Buffer, tracks: readonly Track[]): number | null => {
  const [from, to] = [spansOf(first, tracks), spansOf(last, tracks)];
  if (from.length === 0 || to.length === 0) return null;
  const startMs = Math.min(...from.map((span) => span.startMs));
  return Math.max(0, Math.round(Math.max(...to.map(({ endMs }) => endMs)) - startMs));
};
