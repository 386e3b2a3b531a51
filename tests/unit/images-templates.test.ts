import { createCanvas, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { CONTRAST_MIN, contrastOfLuminances, luminanceOf, luminanceOfParts } from "#lib/core/contrast.ts";
import { type BrandColors, FONT_PAIRINGS, TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import type { TemplateInput } from "#lib/integrations/images/port.ts";
import { drawOn } from "#lib/integrations/images/template-drawing.ts";
import { startThread } from "#lib/integrations/images/template-thread.ts";
import { metadataOf } from "#tests/support/jpeg-segments.ts";
import { noise, stripes } from "#tests/support/template-images.ts";

const images = createImages();
const EVERGREEN: BrandColors = { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };

const plain = (background: string, width = 360, height = 560) =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();

const GROUNDS = ["light", "dark", "gray", "stripes", "noise"] as const;
const grounds = new Map<string, Buffer>();
beforeAll(async () => {
  grounds.set("light", await plain("#fbf3e4"));
  grounds.set("dark", await plain("#101a24"));
  grounds.set("gray", await plain("#777777"));
  grounds.set("stripes", await stripes(360, 560));
  grounds.set("noise", await noise(360, 560));
});

const groundOf = (name: string): Buffer => {
  const ground = grounds.get(name);
  if (!ground) throw new Error(`There is no image ${name}.`);
  return ground;
};

const templateInput = (image: Uint8Array, change: Partial<TemplateInput> = {}): TemplateInput => ({
  image,
  template: "label",
  text: "Slow Sunday bread",
  signature: "mossandstone",
  colors: EVERGREEN,
  fontPairing: "reading",
  logo: null,
  ...change,
});

type Pixels = ReturnType<SKRSContext2D["getImageData"]>["data"];

const luminanceAt = (pixels: Pixels, at: number): number =>
  luminanceOfParts(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);

/** The lowest contrast between an ink and the earlier image, over all pixels that drawing changed. */
const leastContrast = (before: Pixels, after: Pixels, ink: string): number => {
  const own = luminanceOf(ink);
  let least = 21;
  for (let at = 0; at < before.length; at += 4) {
    const isSame = [0, 1, 2].every((part) => before[at + part] === after[at + part]);
    if (!isSame) least = Math.min(least, contrastOfLuminances(own, luminanceAt(before, at)));
  }
  return least;
};

/** Measures the contrast of each line to the pixels below it, independently of the product's own measurement. */
const measureContrasts = async (input: TemplateInput): Promise<{ contrasts: number[]; reported: number }> => {
  const image = await loadImage(Buffer.from(input.image));
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
  const reported = await drawOn(ctx, input);
  return { contrasts, reported };
};

describe("templates", () => {
  test.each(GROUNDS)("text has a contrast of at least 4.5 to every pixel below it: all eight, %s", async (name) => {
    for (const template of TEMPLATE_NAMES) {
      const { contrasts, reported } = await measureContrasts(templateInput(groundOf(name), { template }));
      expect([template, contrasts.length > 1, Math.min(...contrasts) >= CONTRAST_MIN]).toEqual([template, true, true]);
      expect(reported).toBeGreaterThanOrEqual(CONTRAST_MIN);
      expect(reported).toBeLessThanOrEqual(Math.min(...contrasts) + 0.5);
    }
  });

  test("indistinguishable colors are never used on each other", async () => {
    const hard: BrandColors[] = [
      { panel: "#888888", words: "#8a8a8a", accent: "#868686" },
      { panel: "#ffffff", words: "#ffffff", accent: "#ffffff" },
      { panel: "#ff0000", words: "#00a000", accent: "#0000ff" },
      { panel: "#000000", words: "#010101", accent: "#000000" },
      { panel: "#757575", words: "#757575", accent: "#7a7a7a" },
    ];
    for (const colors of hard) {
      for (const template of TEMPLATE_NAMES) {
        const { contrasts } = await measureContrasts(templateInput(groundOf("noise"), { template, colors }));
        expect([colors.panel, template, Math.min(...contrasts) >= CONTRAST_MIN]).toEqual([
          colors.panel,
          template,
          true,
        ]);
      }
    }
  });

  test("the finished JPEG keeps it: strokes keep their ink", async () => {
    const bold = { text: "HHH", signature: "", fontPairing: "poster", template: "band" } as const;
    const { jpeg } = await images.drawTemplate(templateInput(groundOf("noise"), bold));
    const { data, info } = await sharp(jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const middle = Math.round(info.height * 0.62) * info.width * 3;
    const row = Array.from({ length: info.width }, (_, x) => {
      const at = middle + x * 3;
      return luminanceOfParts(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    });
    // A row through the letters: the panel at both ends, strokes in between, and no noise.
    expect(contrastOfLuminances(Math.max(...row), Math.min(...row))).toBeGreaterThan(10);
    expect(row.slice(0, 20).every((one) => one > 0.85)).toBe(true);
  });

  test("A-15 an image of any shape keeps it, and text of any length stays inside", async () => {
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
      const image = await plain("#3a6f5a", across * scale, down * scale);
      for (const template of TEMPLATE_NAMES) {
        for (const text of texts) {
          const results = await images.drawTemplate(templateInput(image, { template, text }));
          expect([template, results.widthPx, results.heightPx]).toEqual([template, across * scale, down * scale]);
          expect(results.contrast).toBeGreaterThanOrEqual(CONTRAST_MIN);
        }
      }
    }
  });

  test("the same input gives the same image, and each template and pairing gives another", async () => {
    const of = (change: Partial<TemplateInput>) =>
      images
        .drawTemplate(templateInput(groundOf("light"), change))
        .then(({ jpeg }) => Buffer.from(jpeg).toString("base64"));
    expect(await of({})).toBe(await of({}));
    const results = new Set<string>();
    for (const template of TEMPLATE_NAMES) results.add(await of({ template }));
    for (const fontPairing of FONT_PAIRINGS) results.add(await of({ fontPairing }));
    // The first template in the first pairing is in both.
    expect(results.size).toBe(TEMPLATE_NAMES.length + FONT_PAIRINGS.length - 1);
  });

  test("an AI image stays marked and small, an uploaded one is not marked", async () => {
    const canvas = { widthPx: 1080, heightPx: 1680 };
    const made = await images.preparePin(await noise(300, 450), canvas);
    if (!made) throw new Error("The image was not prepared.");
    const { jpeg } = await images.drawTemplate(templateInput(made.jpeg));
    expect(Buffer.from(jpeg).includes("trainedAlgorithmicMedia")).toBe(true);
    expect(jpeg.byteLength).toBeLessThanOrEqual(300_000);
    const own = await images.drawTemplate(templateInput(groundOf("light")));
    expect(metadataOf(own.jpeg)).toEqual([]);
  });

  test("a logo is drawn in its shape, on a plate where it would be hard to see", async () => {
    const logo = await sharp({ create: { width: 80, height: 40, channels: 4, background: "#1c543aff" } })
      .png()
      .toBuffer();
    for (const template of TEMPLATE_NAMES) {
      const [bare, withLogo] = await Promise.all(
        [null, logo].map((one) => images.drawTemplate(templateInput(groundOf("dark"), { template, logo: one }))),
      );
      expect([template, Buffer.compare(bare?.jpeg ?? Buffer.alloc(0), withLogo?.jpeg ?? Buffer.alloc(0))]).not.toEqual([
        template,
        0,
      ]);
    }
  });

  test("characters that the fonts lack are named, so that no empty box is drawn", () => {
    const missing = (text: string) => images.missingCharacters({ fontPairing: "reading", text, signature: "" });
    expect(missing("Łódź, Žluťoučký kůň, Tiếng Việt, façade — “ok”… £5")).toEqual([]);
    expect(missing("日本 tea")).toEqual(["日", "本"]);
    expect(missing("שלום")).toEqual(["ש", "ל", "ו", "ם"]);
    expect(missing("привет").length).toBe(6);
    for (const fontPairing of FONT_PAIRINGS) {
      expect(images.missingCharacters({ fontPairing, text: "Éclair ½ & 10 %", signature: "moss" })).toEqual([]);
    }
  });

  test("a preview is small; the exact one has the contrast of what is stored", async () => {
    const image = await noise(720, 1120);
    const input = templateInput(image, { template: "veil" });
    const small = await images.previewTemplate(input, { widthPx: 240, isExact: false });
    expect(await sharp(small.webp).metadata()).toMatchObject({ format: "webp", width: 240 });
    const exact = await images.previewTemplate(input, { widthPx: 240, isExact: true });
    expect(exact.contrast).toBe((await images.drawTemplate(input)).contrast);
    expect(await sharp(await images.sampleImage()).metadata()).toMatchObject({ width: 1080, height: 1680 });
  });

  test.each([false, true])("A-15 an image that is too tall for WebP has a preview; exact: %s", async (isExact) => {
    const input = templateInput(await plain("#777777", 40, 30_000), { template: "band" });
    const { webp } = await images.previewTemplate(input, { widthPx: 240, isExact });
    expect(await sharp(webp).metadata()).toMatchObject({ format: "webp", width: 21, height: 16_000 });
  });
});

test("a preview is drawn before images that wait to be stored", async () => {
  // As large as the limit, so images are drawn one at a time.
  const large = await plain("#fbf3e4", 2_000, 3_000);
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const kept = ["first", "second", "third", "fourth"].map((name) =>
    images.drawTemplate(templateInput(large)).then(note(name)),
  );
  const preview = images.previewTemplate(templateInput(large), { widthPx: 240, isExact: false }).then(note("preview"));
  await Promise.all([...kept, preview]);
  expect(done.indexOf("preview")).toBeLessThan(3);
});

describe("the drawing thread", () => {
  test("leaves the event loop free: the calling thread needs a small part of the CPU", async () => {
    const image = await noise(1_080, 1_680);
    const drawAll = async () => {
      for (const template of ["label", "frame", "strips"] as const) {
        await images.drawTemplate(templateInput(image, { template }));
      }
    };
    // Loads the thread and its fonts.
    await drawAll();
    const [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
    await drawAll();
    const [ownSince, allSince] = [process.threadCpuUsage(own), process.cpuUsage(all)];
    expect((ownSince.user + ownSince.system) / (allSince.user + allSince.system)).toBeLessThan(0.2);
  });

  test("a drawing that fails rejects, and the thread draws the next one", async () => {
    const broken = images.drawTemplate(templateInput(groundOf("light"), { logo: new Uint8Array([1, 2, 3]) }));
    const next = images.drawTemplate(templateInput(groundOf("light")));
    await expect(broken).rejects.toThrow();
    expect(await next).toMatchObject({ widthPx: 360, heightPx: 560 });
  });
});

test("a thread that hangs is ended: its drawings fail, and the next one starts another thread", async () => {
  const input = templateInput(groundOf("light"));
  const ended = Promise.withResolvers<void>();
  // It needs longer than that to start.
  const thread = startThread(ended.resolve, { silenceMaxMs: 1 });
  await expect(thread.draw({ input, preview: null })).rejects.toThrow("The thread that draws templates ended.");
  await ended.promise;
  expect((await images.drawTemplate(input)).jpeg.byteLength).toBeGreaterThan(1_000);
});
