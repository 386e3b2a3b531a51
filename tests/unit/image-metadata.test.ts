import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import { readMetadata } from "#tests/support/image-metadata.ts";
import { photo } from "#tests/support/sample-images.ts";

const images = createImages();
const folder = mkdtempSync(join(tmpdir(), "metadata-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CANARY = "Canary Camera";
const TAIL = Buffer.from("PK\x03\x04 canary <script>");

/** A photo with location, camera, profile, captions, and trailing data. */
const photoWithMetadata = async (format: "jpeg" | "png" | "webp") => {
  const image = sharp(await photo(90, 60))
    .keepExif()
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${CANARY}</x:xmpmeta>`)
    .withIccProfile("p3")
    .toFormat(format);
  return Buffer.concat([await image.toBuffer(), TAIL]);
};

const fileOf = (bytes: Uint8Array): string => {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, bytes);
  return path;
};

const stored = async (bytes: Uint8Array) => {
  const upload = await images.prepareUpload(fileOf(bytes));
  const logo = await images.prepareLogo(fileOf(bytes));
  if (upload.kind === "refused" || logo.kind === "refused") throw new Error("The image was rejected.");
  return { upload: upload.jpeg, logo: logo.png };
};

const BARE = { parts: [], xmp: "", behindBytes: 0 };

describe("R-SRV-07 stored images, read by an independent reader", () => {
  test("R-SRV-07 the reader finds location and camera, XMP, profile, comments and trailing data", async () => {
    expect(readMetadata(await photoWithMetadata("jpeg"))).toMatchObject({
      parts: ["APP1 Exif", "APP1 XMP", "APP2 ICC"],
      xmp: expect.stringContaining(CANARY),
      behindBytes: TAIL.length,
    });
    expect(readMetadata(await photoWithMetadata("png"))).toMatchObject({
      parts: expect.arrayContaining(["iCCP", "eXIf", "zTXt"]),
      behindBytes: TAIL.length,
    });
    expect(readMetadata(await photoWithMetadata("webp"))).toMatchObject({
      parts: expect.arrayContaining(["ICCP", "EXIF", "XMP"]),
      behindBytes: TAIL.length,
    });
    const jpeg = await photo(90, 60);
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 104, 105]);
    const app13 = Buffer.from([0xff, 0xed, 0, 16, ...Buffer.from("Photoshop 3.0\0")]);
    const odd = Buffer.concat([jpeg.subarray(0, 2), comment, app13, jpeg.subarray(2)]);
    expect(readMetadata(odd).parts).toEqual(expect.arrayContaining(["comment unknown", "APP13 IPTC", "APP1 Exif"]));
    // Also segments between two scans of a progressive JPEG.
    const progressive = await sharp(jpeg).jpeg({ progressive: true }).toBuffer();
    const last = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
    const late = Buffer.concat([progressive.subarray(0, last), comment, progressive.subarray(last)]);
    expect([readMetadata(progressive).parts, readMetadata(late).parts]).toEqual([[], ["comment unknown"]]);
  });

  test.each(["jpeg", "png", "webp"] as const)(
    "R-SRV-07 a %s full of metadata is stored without it: as a pin, a thumbnail, a logo, and under every template",
    async (format) => {
      const { upload, logo } = await stored(await photoWithMetadata(format));
      expect(readMetadata(upload)).toEqual({ kind: "jpeg", ...BARE });
      expect(readMetadata(logo)).toEqual({ kind: "png", ...BARE });
      expect(readMetadata(await images.shrink(upload, 36))).toEqual({ kind: "webp", ...BARE });
      const { placeholder } = await images.describeJpeg(upload);
      expect(readMetadata(Buffer.from(placeholder.split(",")[1] ?? "", "base64"))).toEqual({ kind: "webp", ...BARE });
      const colors = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
      for (const template of TEMPLATE_NAMES) {
        const input = { template, text: "Fern", signature: "moss", colors, fontPairing: "reading" as const, logo };
        const { jpeg } = await images.drawTemplate({ ...input, image: upload });
        expect(readMetadata(jpeg)).toEqual({ kind: "jpeg", ...BARE });
        const { webp } = await images.previewTemplate({ ...input, image: upload }, { widthPx: 40, isExact: false });
        expect(readMetadata(webp)).toEqual({ kind: "webp", ...BARE });
      }
      for (const bytes of [upload, logo]) expect(Buffer.from(bytes).includes("Canary")).toBe(false);
    },
  );

  test("an AI image has its AI marking in XMP and nothing else; a template keeps it", async () => {
    const made = await images.preparePin(await photoWithMetadata("png"), { widthPx: 108, heightPx: 168 });
    if (!made) throw new Error("The image was not prepared.");
    const colors = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
    const { jpeg } = await images.drawTemplate({
      image: made.jpeg,
      template: "veil",
      text: "Fern",
      signature: "",
      colors,
      fontPairing: "reading",
      logo: null,
    });
    for (const one of [made.jpeg, jpeg]) {
      const { parts, xmp, behindBytes } = readMetadata(one);
      expect([parts, behindBytes]).toEqual([["APP1 XMP"], 0]);
      expect(xmp.match(/digitalsourcetype\/(\w+)/)?.[1]).toBe("trainedAlgorithmicMedia");
      expect(xmp).not.toContain(CANARY);
    }
  });
});
