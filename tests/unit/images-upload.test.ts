import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { IMAGE_PROBLEMS } from "#lib/features/pins/constants.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import { metadataOf, trailingBytes } from "#tests/support/jpeg-segments.ts";
import { badImages, hugePng, movingGif, photo, png, webp } from "#tests/support/sample-images.ts";

const images = createImages();
const bad = await badImages();
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const prepare = (bytes: Uint8Array) => {
  files += 1;
  const path = join(folder, String(files));
  writeFileSync(path, bytes);
  return images.prepareUpload(path);
};

const prepared = async (bytes: Uint8Array) => {
  const result = await prepare(bytes);
  if (result.kind === "refused") throw new Error(`Refused: ${result.fault}`);
  return result;
};

describe("R-SRV-07 prepareUpload", () => {
  test("R-SRV-07 A-15 a photo is rotated upright, keeps its shape, and loses location, camera and profile", async () => {
    const original = await photo();
    expect(original.includes("Canary Camera")).toBe(true);
    expect(metadataOf(original)).not.toEqual([]);
    const { jpeg, widthPx, heightPx, isFirstFrame } = await prepared(original);
    expect([widthPx, heightPx, isFirstFrame]).toEqual([600, 900, false]);
    // Before the rotation red was on the left; upright it is on top.
    const { data } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray((y * 600 + x) * 3, (y * 600 + x) * 3 + 3)];
    expect(pixel(300, 100)[0]).toBeGreaterThan(240);
    expect(pixel(300, 800)[2]).toBeGreaterThan(240);
    expect([metadataOf(jpeg), trailingBytes(jpeg)]).toEqual([[], 0]);
    for (const word of ["Canary", "secret", "Exif", "GPS", "http"])
      expect(Buffer.from(jpeg).includes(word)).toBe(false);
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", space: "srgb", hasProfile: false });
  });

  test("R-BULK-06 PNG, WebP and transparent images become JPEG on white", async () => {
    for (const file of [await png(), await webp()])
      expect(await prepared(file)).toMatchObject({ widthPx: 600, heightPx: 900, isFirstFrame: false });
    const clear = {
      create: { width: 10, height: 10, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    };
    const { jpeg } = await prepared(await sharp(clear).png().toBuffer());
    expect([...(await sharp(jpeg).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  test("R-BULK-06 the first frame of an animation is used and reported, even of 500", async () => {
    for (const frames of [3, 500]) {
      const { jpeg, isFirstFrame, heightPx } = await prepared(await movingGif(frames));
      expect([isFirstFrame, heightPx]).toEqual([true, 60]);
      const [red = 0, , blue = 0] = await sharp(jpeg).raw().toBuffer();
      expect([red > 240, blue < 20]).toEqual([true, true]);
    }
    const still = await sharp(await png())
      .gif()
      .toBuffer();
    expect(await prepared(still)).toMatchObject({ isFirstFrame: false });
  });

  test("A-14 A-15 a large image is shrunk in its own shape, a small one is not enlarged", async () => {
    const large = await prepared(
      await sharp({ create: { width: 8_000, height: 6_000, channels: 3, background: "#123456" } })
        .jpeg()
        .toBuffer(),
    );
    expect(large.widthPx / large.heightPx).toBeCloseTo(8 / 6, 2);
    expect(large.widthPx * large.heightPx).toBeLessThanOrEqual(6_010_000);
    const tall = await prepared(await png(100, 9_000));
    expect([tall.widthPx, tall.heightPx]).toEqual([100, 9_000]);
    expect(await prepared(await png(3, 2))).toMatchObject({ widthPx: 3, heightPx: 2 });
  });

  test("A-14 even pure noise fits into 10 MB", async () => {
    const noise = await sharp({
      create: {
        width: 2_400,
        height: 2_500,
        channels: 3,
        noise: { type: "gaussian", mean: 128, sigma: 90 },
        background: "#000",
      },
    })
      .png({ compressionLevel: 1 })
      .toBuffer();
    expect((await prepared(noise)).jpeg.byteLength).toBeLessThanOrEqual(10_000_000);
  });

  test("trailing data is dropped", async () => {
    const polyglot = Buffer.concat([await photo(), Buffer.from("<script>alert('canary')</script>PK\x03\x04")]);
    const { jpeg } = await prepared(polyglot);
    expect([Buffer.from(jpeg).includes("canary"), trailingBytes(jpeg)]).toEqual([false, 0]);
  });

  test.each(bad)("$name is rejected with a message", async ({ file, says }) => {
    const result = await prepare(file);
    if (result.kind !== "refused") throw new Error("It was taken.");
    expect(IMAGE_PROBLEMS[result.fault]).toMatch(says);
  });

  test("decompression bombs are recognized by their headers: twenty at once use no memory", async () => {
    const before = process.memoryUsage.rss();
    await Promise.all(Array.from({ length: 20 }, () => prepare(hugePng(60_000, 60_000))));
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
  });
});

test("a thumbnail is a small WebP of the same shape, never enlarged", async () => {
  const { jpeg } = await prepared(await png());
  const small = await images.shrink(jpeg, 360);
  expect(await sharp(small).metadata()).toMatchObject({ format: "webp", width: 360, height: 540 });
  expect(await sharp(await images.shrink(jpeg, 2_000)).metadata()).toMatchObject({ width: 600 });
});

test.each([
  [40, 30_000, 21],
  [90, 65_000, 22],
])(
  "R-SRV-07 A-15 an image of %i × %i is accepted and has a thumbnail, although WebP allows no side that long",
  async (width, height, small) => {
    const { jpeg, widthPx, heightPx } = await prepared(await png(width, height));
    expect([widthPx, heightPx]).toEqual([width, height]);
    const thumbnail = await sharp(await images.shrink(jpeg, 360)).metadata();
    expect(thumbnail).toMatchObject({ format: "webp", width: small, height: 16_000 });
  },
);
