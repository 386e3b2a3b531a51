import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createPictures } from "#lib/integrations/images/client.ts";
import { readMetadata } from "#tests/support/picture-metadata.ts";
import { photo } from "#tests/support/sample-pictures.ts";

const pictures = createPictures();
const folder = mkdtempSync(join(tmpdir(), "metadata-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CANARY = "Canary Camera";
const TAIL = Buffer.from("PK\x03\x04 canary <script>");

/** A photograph that tells everything: place, camera, profile, captions, and a file behind it. */
const talkative = async (format: "jpeg" | "png" | "webp") => {
  const told = sharp(await photo(90, 60))
    .keepExif()
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${CANARY}</x:xmpmeta>`)
    .withIccProfile("p3")
    .toFormat(format);
  return Buffer.concat([await told.toBuffer(), TAIL]);
};

const fileOf = (bytes: Uint8Array): string => {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, bytes);
  return path;
};

const stored = async (bytes: Uint8Array) => {
  const upload = await pictures.prepareUpload(fileOf(bytes));
  const logo = await pictures.prepareLogo(fileOf(bytes));
  if (upload.kind === "refused" || logo.kind === "refused") throw new Error("A picture was refused.");
  return { upload: upload.jpeg, logo: logo.png };
};

const BARE = { parts: [], xmp: "", behindBytes: 0 };

describe("R-SRV-07 what is stored, read back by a reader that did not write it", () => {
  test("R-SRV-07 the reader sees what pictures can carry: place and camera, XMP, profile, comments, what lies behind", async () => {
    expect(readMetadata(await talkative("jpeg"))).toMatchObject({
      parts: ["APP1 Exif", "APP1 XMP", "APP2 ICC"],
      xmp: expect.stringContaining(CANARY),
      behindBytes: TAIL.length,
    });
    expect(readMetadata(await talkative("png"))).toMatchObject({
      parts: expect.arrayContaining(["iCCP", "eXIf", "zTXt"]),
      behindBytes: TAIL.length,
    });
    expect(readMetadata(await talkative("webp"))).toMatchObject({
      parts: expect.arrayContaining(["ICCP", "EXIF", "XMP"]),
      behindBytes: TAIL.length,
    });
    const jpeg = await photo(90, 60);
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 104, 105]);
    const app13 = Buffer.from([0xff, 0xed, 0, 16, ...Buffer.from("Photoshop 3.0\0")]);
    const odd = Buffer.concat([jpeg.subarray(0, 2), comment, app13, jpeg.subarray(2)]);
    expect(readMetadata(odd).parts).toEqual(expect.arrayContaining(["comment unknown", "APP13 IPTC", "APP1 Exif"]));
    // Also what stands between two scans of a progressive picture.
    const progressive = await sharp(jpeg).jpeg({ progressive: true }).toBuffer();
    const last = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
    const late = Buffer.concat([progressive.subarray(0, last), comment, progressive.subarray(last)]);
    expect([readMetadata(progressive).parts, readMetadata(late).parts]).toEqual([[], ["comment unknown"]]);
  });

  test.each(["jpeg", "png", "webp"] as const)(
    "R-SRV-07 a talkative %s is stored as pixels alone: as a pin, as its thumbnail, as a logo, under every template",
    async (format) => {
      const { upload, logo } = await stored(await talkative(format));
      expect(readMetadata(upload)).toEqual({ kind: "jpeg", ...BARE });
      expect(readMetadata(logo)).toEqual({ kind: "png", ...BARE });
      expect(readMetadata(await pictures.shrink(upload, 36))).toEqual({ kind: "webp", ...BARE });
      const { placeholder } = await pictures.describePicture(upload);
      expect(readMetadata(Buffer.from(placeholder.split(",")[1] ?? "", "base64"))).toEqual({ kind: "webp", ...BARE });
      const colours = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
      for (const template of TEMPLATE_NAMES) {
        const drawing = { template, words: "Fern", signature: "moss", colours, fontPairing: "reading" as const, logo };
        const { jpeg } = await pictures.drawTemplate({ ...drawing, picture: upload });
        expect(readMetadata(jpeg)).toEqual({ kind: "jpeg", ...BARE });
        const { webp } = await pictures.previewTemplate(
          { ...drawing, picture: upload },
          { widthPx: 40, isExact: false },
        );
        expect(readMetadata(webp)).toEqual({ kind: "webp", ...BARE });
      }
      for (const bytes of [upload, logo]) expect(Buffer.from(bytes).includes("Canary")).toBe(false);
    },
  );

  test("D10 a model's picture says that it is one, in XMP, and nothing else; a template leaves it said", async () => {
    const made = await pictures.preparePin(await talkative("png"), { widthPx: 108, heightPx: 168 });
    if (!made) throw new Error("A picture was prepared.");
    const colours = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };
    const { jpeg } = await pictures.drawTemplate({
      picture: made.jpeg,
      template: "veil",
      words: "Fern",
      signature: "",
      colours,
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
