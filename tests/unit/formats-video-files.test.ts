import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inspectVideo } from "#lib/features/formats/video-files.ts";
import { box, type FragmentsOptions, fragmentedVideo, sampleVideo } from "#tests/support/sample-videos.ts";

const folder = mkdtempSync(join(tmpdir(), "videos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inspect = (bytes: Uint8Array) => {
  const path = join(folder, "video.mp4");
  writeFileSync(path, bytes);
  return inspectVideo(path);
};

const words = (...values: number[]) => Buffer.from(new Uint32Array(values).map((value) => value).buffer).swap32();

test("type and length come from the file itself, wherever its header is", async () => {
  const mp4 = { kind: "video", contentType: "video/mp4", durationMs: 6_000 };
  expect(await inspect(sampleVideo())).toEqual(mp4);
  expect(await inspect(sampleVideo({ isMovieLast: true, brand: "M4V " }))).toEqual(mp4);
  expect(await inspect(sampleVideo({ brand: "qt  " }))).toEqual({ ...mp4, contentType: "video/quicktime" });
  expect(await inspect(sampleVideo().subarray(24))).toEqual({ ...mp4, contentType: "video/quicktime" });
});

test("a header with 64-bit times, 64-bit box sizes, and a fragmented file are read", async () => {
  const [type, handler] = [sampleVideo().subarray(0, 24), box("hdlr", words(0, 0), Buffer.from("vide"))];
  const track = box("trak", box("mdia", handler));
  const long = box("mvhd", words(0x0100_0000, 0, 0, 0, 0, 600, 0, 5_400));
  const media = Buffer.concat([words(1), Buffer.from("mdat"), words(0, 20), Buffer.alloc(4)]);
  const nine = { kind: "video", durationMs: 9_000 };
  expect(await inspect(Buffer.concat([type, media, box("moov", long, track)]))).toMatchObject(nine);
  const empty = box("mvhd", words(0, 0, 0, 1_000, 0));
  const fragmented = box("moov", empty, track, box("mvex", box("mehd", words(0, 9_000))));
  expect(await inspect(Buffer.concat([type, fragmented]))).toMatchObject(nine);
});

test("the length of a fragmented file without it comes from its fragments", async () => {
  const lengthOf = async (options: FragmentsOptions) => Object(await inspect(fragmentedVideo(options))).durationMs;
  expect(await lengthOf({ seconds: [2, 2, 5] })).toBe(9_000);
  expect(await lengthOf({ seconds: [8] })).toBe(8_000);
  expect(await lengthOf({ seconds: [2, 4], startsAt: 3_600 })).toBe(6_000);
  const long = await inspect(fragmentedVideo({ seconds: Array.from({ length: 500 }, () => 2) }));
  expect(long).toEqual({ kind: "refused", fault: "too_long" });
});

test.each([
  ["an empty file", Buffer.alloc(0), "empty"],
  ["text named .mp4", Buffer.from("This is not a video, just words in a file."), "not_a_video"],
  ["a photo of a phone", box("ftyp", Buffer.from("heic\0\0\0\0mif1heic")), "not_a_video"],
  ["a WebM video", Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0, 0, 0, 0, 0]), "not_a_video"],
  ["sound only", sampleVideo({ track: "soun" }), "no_picture"],
  ["a video of zero seconds", sampleVideo({ seconds: 0 }), "no_length"],
  ["a video of three seconds", sampleVideo({ seconds: 3 }), "too_short"],
  ["a video of sixteen minutes", sampleVideo({ seconds: 960 }), "too_long"],
  [
    "a fragmented file that doesn't say its length",
    fragmentedVideo({ seconds: [2, 9], hasTimes: false }),
    "unknown_length",
  ],
  ["a fragment that is cut", fragmentedVideo({ seconds: [2, 9] }).subarray(0, -150), "broken"],
  ["a file cut before its header", sampleVideo({ isMovieLast: true }).subarray(0, 2_000), "broken"],
  ["a file cut within its media", sampleVideo().subarray(0, 2_000), "broken"],
  ["a box larger than the file", Buffer.concat([sampleVideo(), words(99_999), Buffer.from("free")]), "broken"],
  ["only a type", box("ftyp", Buffer.from("isom\0\0\0\0isom")), "broken"],
])("%s is refused: %s", async (_what, bytes, fault) => {
  expect(await inspect(bytes)).toEqual({ kind: "refused", fault });
});

test("a file with more boxes than are searched has an unknown length, not a shorter one", async () => {
  const withBoxes = (seconds: number[], boxes: number) => {
    const video = fragmentedVideo({ seconds });
    const last = video.lastIndexOf("moof") - 4;
    return Buffer.concat([video.subarray(0, last), Buffer.alloc(boxes * 8, box("free")), video.subarray(last)]);
  };
  expect(await inspect(withBoxes([4, 9], 9_000))).toMatchObject({ kind: "video", durationMs: 13_000 });
  expect(await inspect(withBoxes([4, 9], 11_000))).toEqual({ kind: "refused", fault: "unknown_length" });
  expect(await inspect(withBoxes([2, 2, 9], 11_000))).toEqual({ kind: "refused", fault: "unknown_length" });
  expect(await inspect(withBoxes([960, 9], 11_000))).toEqual({ kind: "refused", fault: "too_long" });
});

test("a file of endless tiny boxes ends the search", async () => {
  const tiny = Buffer.concat(Array.from({ length: 12_000 }, () => box("free")));
  expect(await inspect(Buffer.concat([sampleVideo().subarray(0, 24), tiny]))).toMatchObject({ fault: "broken" });
});
