import { createCanvas, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { CONTRAST_MIN, contrastOfLuminances, luminanceOf, luminanceOfParts } from "#lib/core/contrast.ts";
import { type BrandColours, FONT_PAIRINGS, TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createPictures } from "#lib/integrations/images/client.ts";
import type { TemplateDrawing } from "#lib/integrations/images/port.ts";
import { drawOn } from "#lib/integrations/images/templates.ts";
import { metadataOf } from "#tests/support/jpeg-segments.ts";
import { noise, stripes } from "#tests/support/template-pictures.ts";

const pictures = createPictures();
const EVERGREEN: BrandColours = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };

const plain = (background: string, width = 360, height = 560) =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();

const GROUNDS = ["light", "dark", "grey", "stripes", "noise"] as const;
const grounds = new Map<string, Buffer>();
beforeAll(async () => {
  grounds.set("light", await plain("#fbf3e4"));
  grounds.set("dark", await plain("#101a24"));
  grounds.set("grey", await plain("#777777"));
  grounds.set("stripes", await stripes(360, 560));
  grounds.set("noise", await noise(360, 560));
});

const groundOf = (name: string): Buffer => {
  const ground = grounds.get(name);
  if (!ground) throw new Error(`No picture is called ${name}.`);
  return ground;
};

const drawing = (picture: Uint8Array, change: Partial<TemplateDrawing> = {}): TemplateDrawing => ({
  picture,
  template: "label",
  words: "Slow Sunday bread",
  signature: "mossandstone",
  colours: EVERGREEN,
  fontPairing: "reading",
  logo: null,
  ...change,
});

type Pixels = ReturnType<SKRSContext2D["getImageData"]>["data"];

const luminanceAt = (pixels: Pixels, at: number): number =>
  luminanceOfParts(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);

/** The least contrast between an ink and what was there before, over all pixels that writing changed. */
const leastContrast = (before: Pixels, after: Pixels, ink: string): number => {
  const own = luminanceOf(ink);
  let least = 21;
  for (let at = 0; at < before.length; at += 4) {
    const isSame = [0, 1, 2].every((part) => before[at + part] === after[at + part]);
    if (!isSame) least = Math.min(least, contrastOfLuminances(own, luminanceAt(before, at)));
  }
  return least;
};

/**
 * Watches a template being drawn: for each line of words, how its ink differs from the pixels that were there when it was
 * written. Told by comparing pixels, not by what the drawing says of itself.
 */
const watch = async (input: TemplateDrawing): Promise<{ contrasts: number[]; said: number }> => {
  const image = await loadImage(Buffer.from(input.picture));
  const ctx = createCanvas(image.width, image.height).getContext("2d");
  ctx.drawImage(image, 0, 0);
  const all = () => ctx.getImageData(0, 0, image.width, image.height).data;
  const write = ctx.fillText.bind(ctx);
  const contrasts: number[] = [];
  ctx.fillText = (...place: Parameters<typeof write>) => {
    const before = all();
    write(...place);
    contrasts.push(leastContrast(before, all(), String(ctx.fillStyle)));
  };
  const said = await drawOn(ctx, input);
  return { contrasts, said };
};

describe("templates", () => {
  test.each(GROUNDS)("words differ from every pixel beneath them by 4.5 at least: all eight, %s", async (name) => {
    for (const template of TEMPLATE_NAMES) {
      const { contrasts, said } = await watch(drawing(groundOf(name), { template }));
      expect([template, contrasts.length > 1, Math.min(...contrasts) >= CONTRAST_MIN]).toEqual([template, true, true]);
      expect(said).toBeGreaterThanOrEqual(CONTRAST_MIN);
      expect(said).toBeLessThanOrEqual(Math.min(...contrasts) + 0.5);
    }
  });

  test("colours that cannot be told apart are never put on each other", async () => {
    const hard: BrandColours[] = [
      { panel: "#888888", words: "#8a8a8a", accent: "#868686" },
      { panel: "#ffffff", words: "#ffffff", accent: "#ffffff" },
      { panel: "#ff0000", words: "#00a000", accent: "#0000ff" },
      { panel: "#000000", words: "#010101", accent: "#000000" },
      { panel: "#757575", words: "#757575", accent: "#7a7a7a" },
    ];
    for (const colours of hard) {
      for (const template of TEMPLATE_NAMES) {
        const { contrasts } = await watch(drawing(groundOf("noise"), { template, colours }));
        expect([colours.panel, template, Math.min(...contrasts) >= CONTRAST_MIN]).toEqual([
          colours.panel,
          template,
          true,
        ]);
      }
    }
  });

  test("it stays so in the finished JPEG: strokes keep their ink", async () => {
    const bold = { words: "HHH", signature: "", fontPairing: "poster", template: "band" } as const;
    const { jpeg } = await pictures.drawTemplate(drawing(groundOf("noise"), bold));
    const { data, info } = await sharp(jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const middle = Math.round(info.height * 0.62) * info.width * 3;
    const row = Array.from({ length: info.width }, (_, x) => {
      const at = middle + x * 3;
      return luminanceOfParts(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    });
    // Through the letters' middle: the panel at both ends, strokes between, and nothing of the noise.
    expect(contrastOfLuminances(Math.max(...row), Math.min(...row))).toBeGreaterThan(10);
    expect(row.slice(0, 20).every((one) => one > 0.85)).toBe(true);
  });

  test("A-15 a picture keeps its shape, whatever that is, and words of any length stay on it", async () => {
    const shapes = [
      [9, 14, 30],
      [2, 3, 120],
      [16, 9, 30],
      [1, 1, 200],
      [12, 1, 40],
      [1, 14, 50],
      [1, 1, 1],
    ] as const;
    const texts = [
      "A",
      `${"Donaudampfschiff".repeat(6)}fah`,
      "to be or not to be that is the question ".repeat(3).slice(0, 99),
    ];
    for (const [across, down, scale] of shapes) {
      const picture = await plain("#3a6f5a", across * scale, down * scale);
      for (const template of TEMPLATE_NAMES) {
        for (const words of texts) {
          const drawn = await pictures.drawTemplate(drawing(picture, { template, words }));
          expect([template, drawn.widthPx, drawn.heightPx]).toEqual([template, across * scale, down * scale]);
          expect(drawn.contrast).toBeGreaterThanOrEqual(CONTRAST_MIN);
        }
      }
    }
  });

  test("the same is drawn from the same, and something else with each template and each pairing", async () => {
    const of = (change: Partial<TemplateDrawing>) =>
      pictures
        .drawTemplate(drawing(groundOf("light"), change))
        .then(({ jpeg }) => Buffer.from(jpeg).toString("base64"));
    expect(await of({})).toBe(await of({}));
    const drawn = new Set<string>();
    for (const template of TEMPLATE_NAMES) drawn.add(await of({ template }));
    for (const fontPairing of FONT_PAIRINGS) drawn.add(await of({ fontPairing }));
    // The first template in the first pairing is in both.
    expect(drawn.size).toBe(TEMPLATE_NAMES.length + FONT_PAIRINGS.length - 1);
  });

  test("D10 a model's picture is still marked as one and small, a person's own is not", async () => {
    const canvas = { widthPx: 1080, heightPx: 1680 };
    const made = await pictures.preparePin(await noise(300, 450), canvas);
    if (!made) throw new Error("A picture was prepared.");
    const { jpeg } = await pictures.drawTemplate(drawing(made.jpeg));
    expect(Buffer.from(jpeg).includes("trainedAlgorithmicMedia")).toBe(true);
    expect(jpeg.byteLength).toBeLessThanOrEqual(300_000);
    const own = await pictures.drawTemplate(drawing(groundOf("light")));
    expect(metadataOf(own.jpeg)).toEqual([]);
  });

  test("a logo is drawn in its shape; where it would be lost it gets a plate of its own", async () => {
    const logo = await sharp({ create: { width: 80, height: 40, channels: 4, background: "#1c543aff" } })
      .png()
      .toBuffer();
    for (const template of TEMPLATE_NAMES) {
      const [bare, worn] = await Promise.all(
        [null, logo].map((one) => pictures.drawTemplate(drawing(groundOf("dark"), { template, logo: one }))),
      );
      expect([template, Buffer.compare(bare?.jpeg ?? Buffer.alloc(0), worn?.jpeg ?? Buffer.alloc(0))]).not.toEqual([
        template,
        0,
      ]);
    }
  });

  test("letters that the faces lack are named, so that no empty box is drawn", () => {
    const missing = (words: string) => pictures.missingLetters({ fontPairing: "reading", words, signature: "" });
    expect(missing("Łódź, Žluťoučký kůň, Tiếng Việt, façade — “ok”… £5")).toEqual([]);
    expect(missing("日本 tea")).toEqual(["日", "本"]);
    expect(missing("שלום")).toEqual(["ש", "ל", "ו", "ם"]);
    expect(missing("привет").length).toBe(6);
    for (const fontPairing of FONT_PAIRINGS) {
      expect(pictures.missingLetters({ fontPairing, words: "Éclair ½ & 10 %", signature: "moss" })).toEqual([]);
    }
  });

  test("a preview is small; the exact one has the contrast of what is stored", async () => {
    const picture = await noise(720, 1120);
    const input = drawing(picture, { template: "veil" });
    const small = await pictures.previewTemplate(input, { widthPx: 240, isExact: false });
    expect(await sharp(small.webp).metadata()).toMatchObject({ format: "webp", width: 240 });
    const exact = await pictures.previewTemplate(input, { widthPx: 240, isExact: true });
    expect(exact.contrast).toBe((await pictures.drawTemplate(input)).contrast);
    expect(await sharp(await pictures.samplePicture()).metadata()).toMatchObject({ width: 1080, height: 1680 });
  });

  test.each([false, true])("A-15 a picture taller than WebP can be has a preview; exact: %s", async (isExact) => {
    const input = drawing(await plain("#777777", 40, 30_000), { template: "band" });
    const { webp } = await pictures.previewTemplate(input, { widthPx: 240, isExact });
    expect(await sharp(webp).metadata()).toMatchObject({ format: "webp", width: 21, height: 16_000 });
  });
});

test("QUALITY §2.15 a preview is drawn before the pictures that wait to be kept", async () => {
  // As large as all the room: one is drawn at a time.
  const large = await plain("#fbf3e4", 2_000, 3_000);
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const kept = ["first", "second", "third", "fourth"].map((name) =>
    pictures.drawTemplate(drawing(large)).then(note(name)),
  );
  const preview = pictures.previewTemplate(drawing(large), { widthPx: 240, isExact: false }).then(note("preview"));
  await Promise.all([...kept, preview]);
  expect(done.indexOf("preview")).toBeLessThan(3);
});
