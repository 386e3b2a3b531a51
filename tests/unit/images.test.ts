import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { createImages } from "#lib/integrations/images/client.ts";

const images = createImages();
const canvas = { widthPx: 1080, heightPx: 1680 };

/** A JPEG as a model may send it: left half red, right half blue, with metadata. */
const modelImage = (widthPx = 1024, heightPx = 1536) =>
  sharp({ create: { width: widthPx, height: heightPx, channels: 3, background: "#0000ff" } })
    .composite([
      {
        input: { create: { width: Math.floor(widthPx / 2), height: heightPx, channels: 3, background: "#ff0000" } },
        left: 0,
        top: 0,
      },
    ])
    .withExif({ IFD0: { Copyright: "a secret maker", ImageDescription: "taken at home" } })
    .jpeg()
    .toBuffer();

const noise = (widthPx: number, heightPx: number) =>
  sharp(randomBytes(widthPx * heightPx * 3), { raw: { width: widthPx, height: heightPx, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();

describe("preparePin", () => {
  test("A-15 covers the canvas exactly, cropped around the center", async () => {
    const prepared = await images.preparePin(await modelImage(), canvas);
    expect(prepared).toMatchObject(canvas);
    const jpeg = prepared?.jpeg ?? new Uint8Array();
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([1080, 1680]);
    const at = (x: number) => [...data.subarray((840 * 1080 + x) * 3, (840 * 1080 + x) * 3 + 3)];
    const [left, right] = [at(500), at(580)];
    expect(left[0]).toBeGreaterThan(240);
    expect(right[2]).toBeGreaterThan(240);
  });

  test("A-15 the other canvas, 1000x1500", async () => {
    const prepared = await images.preparePin(await modelImage(), { widthPx: 1000, heightPx: 1500 });
    expect(prepared).toMatchObject({ widthPx: 1000, heightPx: 1500 });
  });

  test("has the digital source type as XMP and no other metadata", async () => {
    const prepared = await images.preparePin(await modelImage(), canvas);
    const metadata = await sharp(prepared?.jpeg).metadata();
    expect(metadata.format).toBe("jpeg");
    const xmp = metadata.xmpAsString ?? metadata.xmp?.toString("utf8") ?? "";
    expect(xmp).toContain('xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"');
    expect(xmp).toContain(
      'Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"',
    );
    expect([metadata.exif, metadata.iptc, metadata.icc]).toEqual([undefined, undefined, undefined]);
    expect(Buffer.from(prepared?.jpeg ?? []).includes("a secret maker")).toBe(false);
  });

  test("a transparent PNG and a gray one become color JPEGs", async () => {
    const clear = await sharp({ create: { width: 64, height: 96, channels: 4, background: "#00000000" } })
      .png()
      .toBuffer();
    const grey = await sharp(clear).flatten({ background: "#808080" }).toColourspace("b-w").png().toBuffer();
    for (const image of [clear, grey]) {
      const prepared = await images.preparePin(image, canvas);
      expect((await sharp(prepared?.jpeg).metadata()).channels).toBe(3);
    }
  });

  test("even pure noise ends at 300 kB or less", async () => {
    const prepared = await images.preparePin(await noise(1024, 1536), canvas);
    expect(prepared?.jpeg.byteLength).toBeLessThanOrEqual(300_000);
    expect(prepared).toMatchObject(canvas);
  }, 30_000);

  test("unsupported or broken bytes are null", async () => {
    const whole = await modelImage();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
    const notImages = [new Uint8Array(), randomBytes(2_000), Buffer.from(svg), whole.subarray(0, 700)];
    for (const bytes of notImages) expect(await images.preparePin(bytes, canvas)).toBeNull();
  });

  test("an image with too many pixels is null before it is decoded", async () => {
    const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: "#fff" } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(await images.preparePin(bomb, canvas)).toBeNull();
  });
});
